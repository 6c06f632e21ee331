/** Bytes of the index per byte of searchable text: all its tables together (SPEC 13: within 1.3, Chinese included). */
import { open } from "../../src/index.ts";
import type { BenchCase, Figure } from "../case.ts";
import type { FilledStore } from "../fill.ts";

const budget = 1.3;
const chineseMessages = 20_000;

export const bench: BenchCase = {
  title: "size of the index",
  stores: ({ messages, seed }) => [
    { kind: "mixed", messages, seed },
    { kind: "chinese", messages: Math.min(messages, chineseMessages), seed },
  ],
  async run({ stores }) {
    return stores.map(sizeOf);
  },
};

function sizeOf({ corpus, home, textBytes }: FilledStore): Figure {
  const backscroll = open({ home });
  const stats = backscroll.stats().map(({ stats: each }) => each);
  backscroll.close();
  const sum = (of: (each: (typeof stats)[number]) => number) => stats.reduce((total, each) => total + of(each), 0);
  const messages = sum((each) => each.messages);
  if (messages !== corpus.messages)
    throw new Error(`${messages} messages are indexed, ${corpus.messages} were appended`);
  return {
    what: `${corpus.kind} text, ${corpus.messages} messages`,
    value: sum((each) => each.indexBytes) / textBytes,
    unit: "bytes a byte",
    budget,
    detail: {
      indexBytes: sum((each) => each.indexBytes),
      textBytes,
      databasePerByte: sum((each) => each.bytes) / textBytes,
    },
  };
}
