/** A text as it may be searched: masked, and without the masks (SPEC 5.3). */
import { redact } from "../redaction/redact.ts";

export function withoutSecrets(text: string): string {
  return cutMasks(redact(text));
}

/** The masks go with a space in their place, so that the words beside them stay apart. */
export function cutMasks({ text, masks }: ReturnType<typeof redact>): string {
  if (masks.length === 0) return text;
  let left = "";
  let from = 0;
  for (const mask of masks) {
    left += `${text.slice(from, mask.start)} `;
    from = mask.end;
  }
  return left + text.slice(from);
}
