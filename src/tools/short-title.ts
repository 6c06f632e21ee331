/** A title or preview as answers show it: masked whole, on one line, cut with an ellipsis. */
import { limits } from "../limits.ts";
import { redact } from "../redaction/redact.ts";
import { cutText, graphemeStart } from "../text/cut.ts";

/** A project folder, branch or model: masked and bounded, the end kept, as that is what tells folders apart. */
export function shortName(text: string): string {
  const name = redact(text).text;
  const { default: longest } = limits.nameLength;
  return name.length <= longest ? name : `…${name.slice(graphemeStart(name, name.length - longest + 1))}`;
}

export function shortTitle(text: string): string {
  const line = redact(text).text.replace(/\s+/g, " ").trim();
  const { default: longest } = limits.titleLength;
  return line.length <= longest ? line : `${cutText(line, longest - 1)}…`;
}
