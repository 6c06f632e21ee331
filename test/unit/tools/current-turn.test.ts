import { expect, test } from "vitest";
import type { Caller } from "../../../src/index.ts";
import { limits } from "../../../src/limits.ts";
import { assistant, key, user } from "../../helpers/entries.ts";
import { temporaryHome } from "../../helpers/temporary.ts";

const now = 1_760_000_000_000;
const me: Caller = { kind: "session", sessionKey: key("mine"), visibility: "agent" };

async function found(lastWritten: number, caller: Caller = me): Promise<string[]> {
  const home = temporaryHome({ now: () => now });
  const store = home.store("main");
  store.append(key("mine"), [
    user("old", "where does the bittern nest", { timestamp: lastWritten - 3_600_000 }),
    assistant("told", "the bittern nests in the reeds", { timestamp: lastWritten - 3_500_000 }),
    user("asked", "what did I ask about the bittern", { timestamp: lastWritten - 1_000 }),
    assistant("begun", "let me look for the bittern", { timestamp: lastWritten }),
  ]);
  store.append(key("other"), [user("else", "a bittern again", { timestamp: now - 7_200_000 })]);
  return (await home.search({ query: "bittern", perSession: 25 }, caller)).results
    .map(({ messageId }) => messageId)
    .sort();
}

// SPEC 4.3
test("the asker's own turn is no hit, what it said before is", async () => {
  expect(await found(now - 5_000)).toEqual(["else", "old", "told"]);
});

test("a session that rests has no turn: all of it is found", async () => {
  expect(await found(now - limits.turnPause.default - 1)).toEqual(["asked", "begun", "else", "old", "told"]);
});

test("whoever asks from elsewhere finds it", async () => {
  const all = ["asked", "begun", "else", "old", "told"];
  expect(await found(now - 5_000, { kind: "owner" })).toEqual(all);
  expect(await found(now - 5_000, { kind: "session", sessionKey: key("other"), visibility: "agent" })).toEqual(all);
});
