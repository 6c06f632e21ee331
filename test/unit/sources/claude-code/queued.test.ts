/** Texts typed while the model works reach the file on up to three ways (SPEC 8.5, 8.6). */
import { describe, expect, it, test } from "vitest";
import { spoken } from "../items-of.ts";
import { assistant, queue, queued, type Raw, read, user, words } from "./records.ts";

// SPEC 8.5
describe("a text typed while the model works is one message", () => {
  const before = [user("u1", null, "Dig."), assistant("a2", "u1", words("Digging."))];
  const answer = assistant("a9", "u1", words("Wider now."));
  const text = "make it wider";
  test.each<[string, Raw[]]>([
    ["as attachment alone", [queued("q3", "a2", { prompt: text, commandMode: "prompt" })]],
    ["as attachment of blocks", [queued("q3", "a2", { prompt: words(text), origin: { kind: "human" } })]],
    ["as attachment of a shell line", [queued("q3", "a2", { prompt: text, commandMode: "bash" })]],
    ["out of the queue alone", [queue("enqueue", text), queue("remove", text, "absorbed_mid_turn")]],
    [
      "out of the queue, then as attachment",
      [queue("remove", text, "absorbed_mid_turn"), queued("q3", "a2", { prompt: text })],
    ],
    [
      "as attachment, then out of the queue",
      [queued("q3", "a2", { prompt: words(text) }), queue("remove", text, "absorbed_mid_turn")],
    ],
    ["as attachment and as a record", [queued("q3", "a2", { prompt: text }), user("u4", "q3", text)]],
    ["as a record from the queue", [queue("enqueue", text), queue("dequeue"), user("u4", "a2", text)]],
    ["removed without a reason, as older releases do", [queue("remove", text), queued("q3", "a2", { prompt: text })]],
  ])("%s", async (_, records) => {
    const { entries } = await read([...before, ...records, answer]);
    expect(spoken(entries)).toEqual(["Dig.", "Digging.", text, "Wider now."]);
    expect(entries[2]?.typed).toBe(true);
  });

  it("stands for the record that repeats it", async () => {
    const { aliases, ignored } = await read([
      ...before,
      queued("q3", "a2", { prompt: text }),
      user("u4", "a2", text),
      answer,
    ]);
    expect(aliases).toEqual({ u4: "q3" });
    expect(ignored).toEqual(["user/repeated"]);
  });

  it("but two when it is typed again, also by chance with the same words", async () => {
    const twice = [
      ...before,
      queued("q3", "a2", { prompt: "more" }),
      assistant("a4", "q3", words("More.")),
      user("u5", "a4", "more"),
    ];
    expect(spoken((await read(twice)).entries).filter((said) => said === "more")).toHaveLength(2);
    const retyped = [user("u1", null, "more"), user("u2", "u1", "more")];
    expect(spoken((await read(retyped)).entries)).toEqual(["more", "more"]);
  });

  it("and none when it was taken back or came from a machine", async () => {
    const { entries } = await read([
      ...before,
      queue("enqueue", "never mind"),
      queue("popAll", "never mind"),
      queued("q3", "a2", { prompt: "task is done", commandMode: "task-notification" }),
      queued("q4", "q3", { prompt: "I am a peer", origin: { kind: "peer" }, isMeta: true }),
      queue("remove", "I am a peer", "absorbed_mid_turn"),
    ]);
    expect(spoken(entries)).toEqual(["Dig.", "Digging."]);
  });
});
