/** A history page as text. */
import type { HistoryAnswer, HistoryMessage, HistoryPart } from "../../index.ts";
import { bytes, localTime, type Output, paint, plain, plainLines } from "./terminal.ts";

export function formatHistory(answer: HistoryAnswer, output: Output): string {
  const head = [
    paint(output, "bold", plain(answer.title ?? answer.sessionKey)),
    paint(
      output,
      "dim",
      [answer.sessionKey, answer.sessionId, answer.project, `${answer.totalMessages} messages`]
        .filter((part) => part !== undefined)
        .map(plain)
        .join("  "),
    ),
    ...(answer.note === undefined ? [] : [paint(output, "yellow", plain(answer.note))]),
    ...(answer.warning === undefined ? [] : [paint(output, "yellow", plain(answer.warning))]),
  ].join("\n");
  const foot = [
    ...(answer.older === undefined ? [] : [`older: --cursor ${answer.older}`]),
    ...(answer.newer === undefined ? [] : [`newer: --cursor ${answer.newer}`]),
    ...(answer.droppedMessages === undefined
      ? []
      : [`${answer.droppedMessages} messages left out for the size of the page`]),
    ...(answer.generations === undefined ? [] : [`other generations: ${answer.generations.map(plain).join(", ")}`]),
  ].map((line) => paint(output, "dim", line));
  return [
    head,
    ...answer.messages.map((message) => formatMessage(message, output)),
    ...(foot.length > 0 ? [foot.join("\n")] : []),
  ].join("\n\n");
}

function formatMessage(message: HistoryMessage, output: Output): string {
  const who = plain(message.role ?? message.type ?? "entry");
  const style = who === "user" ? "green" : "cyan";
  const mark = message.anchor ? paint(output, ["bold", "yellow"], "▶ ") : "  ";
  const head = `${mark}${paint(output, ["bold", style], who)} ${paint(output, "dim", `${localTime(message.timestamp)}  ${plain(message.messageId)}`)}`;
  return [head, ...message.content.map((part) => indent(formatPart(part, output)))].join("\n");
}

function formatPart(part: HistoryPart, output: Output): string {
  const text = plainLines(part.text ?? "");
  const cut =
    part.textLength === undefined
      ? ""
      : paint(
          output,
          "dim",
          `\n… ${part.textOffset ?? 0} to ${(part.textOffset ?? 0) + (part.text ?? "").length} of ${part.textLength} characters; read on with --around and --text-offset`,
        );
  switch (part.type) {
    case "text":
      return (part.injected ? paint(output, "dim", `(put in by the program) ${text}`) : text) + cut;
    case "thinking":
      return paint(output, "dim", `(thinking) ${text}`) + cut;
    case "toolCall":
      return paint(output, "dim", `→ ${plain(part.name ?? "tool")} ${text}`) + cut;
    case "toolResult":
      return paint(output, "dim", `← ${part.isError ? "error " : ""}${text}`) + cut;
    case "image":
      return paint(
        output,
        "dim",
        `[image${part.mime === undefined ? "" : ` ${plain(part.mime)}`}${part.bytes === undefined ? "" : `, ${bytes(part.bytes)}`}]`,
      );
    case "other":
      return paint(output, "dim", `[other] ${text}`) + cut;
  }
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
