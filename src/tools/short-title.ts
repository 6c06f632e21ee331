/** A title or preview as answers show it: masked whole, on one line, cut with an ellipsis. */
import { limits } from "../limits.ts";
import { redact } from "../redaction/redact.ts";
import { cutText } from "../text/cut.ts";

export function shortTitle(text: string): string {
  const line = redact(text).text.replace(/\s+/g, " ").trim();
  const { default: longest } = limits.titleLength;
  return line.length <= longest ? line : `${cutText(line, longest - 1)}…`;
}
