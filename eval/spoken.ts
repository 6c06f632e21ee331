/** The searchable messages of a home, by the library's export: user and assistant text on the active branch (SPEC 1.4). */
import * as z from "zod";
import type { Backscroll } from "../src/index.ts";

export interface SpokenMessage {
  readonly sessionKey: string;
  readonly messageId: string;
  readonly role: "user" | "assistant";
  /** As it was said. */
  readonly text: string;
  /** As the tools show it. */
  readonly masked: string;
}

export interface Spoken {
  readonly messages: readonly SpokenMessage[];
  readonly sessions: ReadonlySet<string>;
  /** Session key and message id of everything stored, searchable or not. */
  readonly stored: ReadonlySet<string>;
}

const exported = z.object({
  type: z.string(),
  sessionKey: z.string(),
  id: z.string().optional(),
  role: z.string().optional(),
  attach: z.string().nullish(),
  content: z
    .array(z.object({ type: z.string(), text: z.string().optional(), injected: z.boolean().optional() }))
    .optional(),
});
type Exported = z.infer<typeof exported>;

export function nameOf(sessionKey: string, messageId: string): string {
  return `${sessionKey}\n${messageId}`;
}

/** Reads the home twice in step, as it is and masked, one line at a time. */
export function readSpoken(home: Backscroll): Spoken {
  const messages: SpokenMessage[] = [];
  const sessions = new Set<string>();
  const stored = new Set<string>();
  const shown = home.export({ reveal: false });
  for (const raw of home.export({ reveal: true })) {
    const masked = shown.next();
    const line = exported.parse(JSON.parse(raw));
    sessions.add(line.sessionKey);
    if (line.id === undefined) continue;
    stored.add(nameOf(line.sessionKey, line.id));
    if (line.attach === "side" || (line.role !== "user" && line.role !== "assistant")) continue;
    const text = wordsOf(line);
    if (text === "") continue;
    messages.push({
      sessionKey: line.sessionKey,
      messageId: line.id,
      role: line.role,
      text,
      masked: masked.done ? "" : wordsOf(exported.parse(JSON.parse(masked.value))),
    });
  }
  return { messages, sessions, stored };
}

function wordsOf({ content = [] }: Exported): string {
  return content
    .flatMap(({ type, text = "", injected }) => (type === "text" && !injected && text.trim() !== "" ? [text] : []))
    .join("\n");
}
