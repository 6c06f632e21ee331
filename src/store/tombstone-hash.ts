/** The hash by which tombstones name sessions, transcripts and entries: an id can say what a session was about. */
import { createHash } from "node:crypto";

/** 43 characters of base64url: no `:` in it. */
export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}
