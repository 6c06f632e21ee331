/** What a writer does. */
import type { Operation } from "../model/operation.ts";

/** A step that is no operation changes nothing that can be asked for: a kill in it leaves what was there. */
export type Step = Operation | { readonly does: "reconcile" | "reopen" | "wait" };

export function isOperation(step: Step): step is Operation {
  return step.does !== "reconcile" && step.does !== "reopen" && step.does !== "wait";
}
