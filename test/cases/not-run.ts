/**
 * What a case asks for and the runner or the product cannot do yet. Such a case counts as not run, with the reason:
 * a key that nothing looks at must never turn into a pass.
 */
import type * as z from "zod";

export class NotRun extends Error {
  override readonly name = "NotRun";
}

/** Checks a piece of a case. @throws {NotRun} naming the first thing that is not supported, and where it stands. */
export function parsePiece<T>(schema: z.ZodType<T>, raw: unknown, where: string): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = [where, ...(issue?.path ?? []).map(String)].join(".");
  if (issue?.code === "unrecognized_keys") throw new NotRun(`${path}: unknown ${issue.keys.join(", ")}`);
  throw new NotRun(`${path}: ${issue?.message ?? "not understood"}`);
}
