/** What a damaged entry said before is found by its checksum alone (SPEC 2.8). */
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CheckedRow, entryCrc } from "../../../src/store/entry-crc.ts";
import { correctEntry } from "../../../src/store/repair/correct-entry.ts";
import { assistant, key, message, user } from "../../helpers/entries.ts";
import { memoryStore } from "../../helpers/temporary.ts";

function stored() {
  const store = memoryStore();
  const packed = Array.from({ length: 4000 }, (_, at) => `word${at * 7}`).join(" ");
  store.append(key("a"), [
    user("m1", "Grüße vom Wehr"),
    assistant("m2", "a longer text, ".repeat(400)),
    message("m3", "toolResult", "", { parts: [{ type: "toolResult", text: packed }] }),
  ]);
  return store;
}

const read = (store: ReturnType<typeof stored>, no: number) =>
  store.db.prepare("SELECT * FROM entries WHERE no = :no").get({ no }) as unknown as CheckedRow & { crc: number };

test("one byte of a body, wherever it is, whatever it became", () => {
  const store = stored();
  fc.assert(
    fc.property(fc.constantFrom(0, 1, 2), fc.nat(), fc.integer({ min: 1, max: 255 }), (entry, place, change) => {
      const no = 16777216 + entry;
      const before = read(store, no);
      const bytes = Buffer.from(before.body as string | Uint8Array);
      const at = place % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ change;
      const isText = typeof before.body === "string";
      store.db
        .prepare(`UPDATE entries SET body = ${isText ? "CAST(:bytes AS TEXT)" : ":bytes"} WHERE no = :no`)
        .run({ no, bytes: Uint8Array.from(bytes) });
      const corrected = correctEntry(store.db, no, read(store, no), before.crc);
      store.db.prepare("UPDATE entries SET body = :body WHERE no = :no").run({ no, body: before.body });
      expect(corrected && Buffer.from(corrected.body as string)).toEqual(Buffer.from(before.body as string));
    }),
    { numRuns: 200 },
  );
});

test("a time, a role, a type, a parent; and two changes at once are not guessed at", () => {
  const store = stored();
  const no = 16777217;
  const before = read(store, no);
  const { body: _, ...said } = before;
  for (const change of [
    { timestamp: before.timestamp + 77 * 65536 },
    { role: "user" },
    { type: "custom" },
    { parent: null },
  ]) {
    const corrected = correctEntry(store.db, no, { ...before, ...change }, before.crc);
    expect(corrected).toMatchObject(said);
  }
  expect(entryCrc(before)).toBe(before.crc);
  expect(correctEntry(store.db, no, { ...before, role: "user", timestamp: 1 }, before.crc)).toBeNull();
});
