/**
 * Makes one message of the two copies that a rollout keeps of it (SPEC 8.5): a response item for the model and an event
 * for the screen, in either order, a few lines apart, with a checkpoint possible in between. Events decide what a person
 * typed; items are the fuller text of what the assistant said. A copy adds nothing and is counted as ignored.
 */
import type { Part } from "../../model/transcript.ts";
import { beginTurn, type HalfHeard, ignore, type Line, message, nextId, put, putAgain } from "./state.ts";
import { assistantText, shownText, speechKey, userText } from "./typed-text.ts";

type Channel = HalfHeard["from"];

/** How many messages may wait for their other copy. In every rollout measured the two stand at most three lines apart. */
const waiting = 16;

/** A user message out of either channel. `blocks` is its content as found, `ownId` the record's id if it has one. */
export function hearUser(line: Line, from: Channel, blocks: readonly Part[], ownId: unknown): void {
  const { state } = line;
  if (from === "event") state.userEvents = true;
  const parts = userParts(blocks, from === "event");
  if (parts.length === 0) {
    ignore(line);
    return;
  }
  const words = plainText(parts);
  const picture = parts.some((part) => part.type === "image");
  if (words === "" && !picture) {
    put(line, { id: nextId(line, ownId, "user", firstText(parts)), ...message(line, "user", parts) });
    return;
  }
  const key = speechKey(words);
  const twin = takeTwin(state.heard.user, key, from);
  if (twin) {
    // Said again where this copy says more: that a person typed it, or, in an item, the picture of which the event only
    // names the file.
    if (twin.hidden || (from === "item" && picture)) {
      putAgain(line, twin, { ...message(line, "user", parts), typed: true });
    } else ignore(line);
    if (twin.hidden) {
      beginTurn(state, twin.before);
      state.heard.assistant = [];
    }
    return;
  }
  // In a rollout with user events, an item without one is the harness's, whatever it begins with; pictures never are.
  const hidden = from === "item" && state.userEvents && !picture;
  const before = state.last;
  const id = nextId(line, ownId, "user", words);
  if (hidden) {
    put(line, { id, ...message(line, "user", parts.map(asInjected)) });
  } else {
    put(line, { id, ...message(line, "user", parts), typed: true });
    beginTurn(state, before);
    state.heard.assistant = [];
  }
  state.heard.user = [...state.heard.user, { key, id, from, before, hidden }].slice(-waiting);
}

/** An assistant message out of either channel. An event repeats one text block of an item, so blocks are paired one by one. */
export function hearAssistant(line: Line, from: Channel, blocks: readonly Part[], ownId: unknown): void {
  const { state } = line;
  const parts: Part[] = [];
  const keys: number[] = [];
  let again = false;
  for (const block of blocks) {
    if (block.type !== "text") {
      parts.push(block);
      continue;
    }
    const said = assistantText(block.text);
    if (plainText(said) === "") {
      parts.push(...said);
      continue;
    }
    const shown = shownText(block.text);
    const key = speechKey(shown);
    const twin = takeTwin(state.heard.assistant, key, from);
    if (!twin) {
      parts.push(...said);
      keys.push(key);
    } else if (from === "item" && shown.length !== block.text.length) {
      putAgain(line, twin, message(line, "assistant", said));
      again = true;
    }
  }
  if (parts.length === 0) {
    if (!again) ignore(line);
    return;
  }
  const before = state.last;
  const id = nextId(line, ownId, "assistant", firstText(parts));
  put(line, { id, ...message(line, "assistant", parts) });
  const heard = keys.map((key): HalfHeard => ({ key, id, from, before, hidden: false }));
  state.heard.assistant = [...state.heard.assistant, ...heard].slice(-waiting);
  state.heard.user = [];
}

/** The newest message with the same words that came the other way, taken off the list. */
function takeTwin(heard: HalfHeard[], key: number, from: Channel): HalfHeard | undefined {
  const at = heard.findLastIndex((half) => half.key === key && half.from !== from);
  return at < 0 ? undefined : heard.splice(at, 1)[0];
}

function userParts(blocks: readonly Part[], typed: boolean): Part[] {
  const parts: Part[] = [];
  for (const block of blocks) {
    if (block.type !== "text") parts.push(block);
    else if (isImageTag(block.text)) parts.push({ ...block, injected: true });
    else parts.push(...userText(block.text, typed));
  }
  return parts;
}

/** Codex wraps an attached picture in text blocks of its own: `<image name=[Image #1]>` and `</image>`. */
function isImageTag(text: string): boolean {
  return (
    text === "<image>" ||
    text === "</image>" ||
    (text.startsWith("<image name=") && text.indexOf(">") === text.length - 1)
  );
}

function asInjected(part: Part): Part {
  return part.type === "text" ? { type: "text", text: part.text, injected: true } : part;
}

function plainText(parts: readonly Part[]): string {
  let all = "";
  for (const part of parts) if (part.type === "text" && part.injected !== true) all += part.text;
  return all;
}

function firstText(parts: readonly Part[]): string {
  const first = parts.find((part) => part.type === "text");
  return first?.type === "text" ? first.text : "";
}
