import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { partChunks, partsGap, partsOf, partTokens } from "../../../src/text/parts.ts";
import { terms } from "../../../src/text/tokens.ts";

describe("partsOf", () => {
  // SPEC 3.5
  test.each([
    ["maxRetryCount", "max retry count"],
    ["HeatedBedGrid", "heated bed grid"],
    ["HTTPServer", "http server"],
    ["parseHTTPResponse", "parse http response"],
    ["XMLHttpRequest", "xml http request"],
    ["iPhone", "i phone"],
    ["APIv2", "api v 2"],
    ["IPv4", "ip v 4"],
    ["v2", "v 2"],
    ["utf8", "utf 8"],
    ["sha256", "sha 256"],
    ["3dPrint", "3 d print"],
    ["v2.10.3", "v 2 10 3"],
    ["src/bedGrid/index.ts:12", "src bed grid index ts 12"],
    ["--maxOldSpace=4096", "max old space 4096"],
    ["E2BIG", "e 2 big"],
    ["l'arbre", "l arbre"],
    ["don’t", "don t"],
    ["server's", "server s"],
    ["f'abc'", "f abc"],
    ["rock'n'roll", "rock n roll"],
    ["ПриветМир", "привет мир"],
    ["großeKüche", "grosse kuche"],
    ["crèmeBrûlée", "creme brulee"],
    ["crèmeBrûlée".normalize("NFD"), "creme brulee"],
    ["ket\u00ADtleLid", "kettle lid"],
    ["ＢｅｄＧｒｉｄ", "bed grid"],
    ["𐐨𐐨𐐀𐐨", "𐐨𐐨 𐐨𐐨"],
    ["重启maxRetry服务", "重 启 max retry 服 务"],
  ])("%s → %s", (word, parts) => {
    expect(partsOf(word)).toEqual(parts.split(" "));
  });

  test.each([
    "",
    "kettle",
    "Kettle",
    "KETTLE",
    "max_retry_count",
    "2026-03-01",
    "a/b/c.d",
    "URLs",
    "'quoted'",
    "5'10",
    "x''y",
    "水温",
    "🍐🍎",
    "'",
    "\u093CGrid",
    "abcDef".repeat(40),
  ])("%j has none", (word) => {
    expect(partsOf(word)).toEqual([]);
  });

  test("hashes, identifiers and encoded data have none", () => {
    const hash = (name: string): string => createHash(name).update("kettle").digest("hex");
    for (const word of [
      hash("sha256"),
      hash("sha1").toUpperCase(),
      hash("md5").slice(0, 12),
      "3f8a2c1",
      "0a0a0a",
      "0xc000b03f28",
      "0d9f3c3e-5a7b-4c1d-9e8f-2a6b4c8d0e1f",
      "0D9F3C3E-5A7B-4C1D-9E8F-2A6B4C8D0E1F",
      createHash("sha512").update("kettle").digest("base64"),
      Buffer.from("Two pears are left in the blue bowl.").toString("base64url"),
      "aB3".repeat(60),
    ]) {
      expect(partsOf(word), word).toEqual([]);
    }
  });

  test("a name beside a hash keeps its parts", () => {
    expect(partsOf("blobs/3f8a2c19/bedGrid")).toEqual(["blobs", "3f8a2c19", "bed", "grid"]);
    expect(partsOf("0d9f3c3e-5a7b-4c1d-9e8f-2a6b4c8d0e1f/bedGrid").slice(-2)).toEqual(["bed", "grid"]);
  });
});

describe("partChunks", () => {
  function shown(text: string): string[] {
    return partChunks(text).map((chunk) =>
      chunk.map(({ term, start, end }) => `${term}=${text.slice(start, end)}`).join(" "),
    );
  }

  test("gives the chunks that have inner borders, whole, with offsets in the text", () => {
    expect(shown("Set maxRetry in src/bedGrid.ts, not in main.ts; URLs too")).toEqual([
      "max=max retry=Retry",
      "src=src bed=bed grid=Grid ts=ts",
    ]);
  });

  test("ends a chunk at scripts without spaces, pictographs and their punctuation", () => {
    expect(shown("请把bedGrid、maxRetry改成v2🍐utf8。好")).toEqual([
      "bed=bed grid=Grid",
      "max=max retry=Retry",
      "v=v 2=2",
      "utf=utf 8=8",
    ]);
  });

  test("gives of a long stretch without white space only the words that have borders", () => {
    const code = "if(bowl){pear(bedGrid,lid)}".repeat(40);
    const chunks = partChunks(code);
    expect(chunks.at(-1)?.map((token) => token.term)).toEqual(["bed", "grid"]);
    expect(chunks.flat().length).toBeLessThan(terms(code).length);
  });

  // NFC joins the voicing mark to the kana past the nukta, NFD keeps it behind.
  test("never begins in a mark, whose base ended the chunk before", () => {
    for (const form of ["NFC", "NFD"]) expect(shown("ガ\u093CbedGrid".normalize(form))).toEqual(["bed=bed grid=Grid"]);
  });

  test("agrees with partsOf on every word", () => {
    for (const word of ["𐐨𐐨𐐀𐐨", "maxRetryCount", "v2.10.3", "l'arbre", "kettle", "3f8a2c1", "x-bedGrid"]) {
      expect(
        partChunks(` ${word} `)
          .flat()
          .map((token) => token.term),
        word,
      ).toEqual(partsOf(word));
    }
  });
});

describe("partTokens", () => {
  test("keeps chunks apart by a term that no query can have", () => {
    expect(partTokens("bedGrid and lidSize").map((token) => token.term)).toEqual([
      "bed",
      "grid",
      partsGap,
      "lid",
      "size",
    ]);
    expect(terms(partsGap)).toEqual([]);
    expect(partTokens("no parts here")).toEqual([]);
  });
});

test.each([
  ["camel case in one run", "aB".repeat(1 << 19)],
  ["camel case in one chunk", "aB.".repeat(350_000)],
  ["apostrophes", "a'".repeat(1 << 19)],
  ["nearly UUIDs", "0d9f3c3e-5a7b-4c1d-9e8f-2a6b4c8d0e1z-".repeat(30_000)],
])("a million units of %s take linear time", (_name, text) => {
  const begin = performance.now();
  partChunks(text);
  partsOf(text);
  expect(performance.now() - begin).toBeLessThan(5_000);
});
