/** Opaque continuation tokens: made here, checked here when they come back, since anyone may send anything. */
import { BackscrollError } from "../errors.ts";

type Value = string | number;

/** @param kind What the cursor continues; one made for a list is refused by a history page. */
export function encodeCursor(kind: string, values: readonly Value[]): string {
  return Buffer.from(JSON.stringify([kind, ...values])).toString("base64url");
}

/**
 * The values of a cursor of that kind, of the given types.
 * @throws {BackscrollError} `bad_input`.
 */
export function decodeCursor(kind: string, types: readonly ("string" | "number")[], cursor: string): Value[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    // Not ours: refused below.
  }
  if (Array.isArray(parsed) && parsed.length === types.length + 1) {
    const values = parsed.slice(1) as unknown[];
    const fits = values.every(
      (value, at) => typeof value === types[at] && (typeof value !== "number" || Number.isSafeInteger(value)),
    );
    // Base64 and JSON are read with tolerance; only what was made here, for this kind, is written back the same.
    if (fits && encodeCursor(kind, values as Value[]) === cursor) return values as Value[];
  }
  throw new BackscrollError(
    "bad_input",
    "the cursor is not one of this tool's",
    "Pass a cursor exactly as the last answer gave it, or leave it out to begin anew.",
  );
}
