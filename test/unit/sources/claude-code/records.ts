/** Records as Claude Code writes them, for the unit tests of that source. Numbers in uuids make the times. */
import { claudeCode } from "../../../../src/sources/claude-code/claude-code.ts";
import { itemsOf, type Read } from "../items-of.ts";

export const id = "7c1e5a90-2b4d-4f6a-8c3e-9d0b1a2f3e4c";
export const main = `-srv-well/${id}.jsonl`;
export const key = `agent:claude-code:${id}`;

export type Raw = { readonly [key: string]: unknown };

export const at = (second: number) => new Date(Date.UTC(2026, 1, 3, 8, 0, second)).toISOString();

export function record(type: string, uuid: string, parentUuid: string | null, more: Raw = {}): Raw {
  const timestamp = at(Number(/\d+/.exec(uuid)?.[0]));
  return { type, uuid, parentUuid, sessionId: id, isSidechain: false, timestamp, cwd: "/srv/well", ...more };
}

export const user = (uuid: string, parent: string | null, content: unknown, more: Raw = {}) =>
  record("user", uuid, parent, { message: { role: "user", content }, ...more });

export const assistant = (uuid: string, parent: string | null, content: unknown, more: Raw = {}, message: Raw = {}) =>
  record("assistant", uuid, parent, { message: { role: "assistant", content, ...message }, ...more });

export const words = (text: string) => [{ type: "text", text }];

export const queued = (uuid: string, parent: string, attachment: Raw) =>
  record("attachment", uuid, parent, { attachment: { type: "queued_command", ...attachment } });

export const queue = (operation: string, content?: string, reason?: string): Raw => ({
  type: "queue-operation",
  operation,
  timestamp: at(0),
  sessionId: id,
  ...(content !== undefined && { content }),
  ...(reason !== undefined && { reason }),
});

export const read = (content: string | readonly unknown[], name = main): Promise<Read> =>
  itemsOf(claudeCode, name, content);
