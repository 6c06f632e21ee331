/** Types of entries that only hold their place in the tree: they have an id and a parent, and show nothing. */
import type { EntryDraft } from "../model/transcript.ts";

/** Was deleted; never filled again. */
export const deletedType = "deleted";
/** Was deleted, and that was undone: an import may fill it again. */
export const undeletedType = "undeleted";
/** Its content was lost to damage: an import may fill it again. */
export const lostType = "lost";

export function isHusk(type: string): boolean {
  return type === lostType || type === deletedType || type === undeletedType;
}

/** The type that an entry is stored with. What says something is no husk, whatever its source calls it. */
export function storedType({ type, parts, role, data }: Pick<EntryDraft, "type" | "parts" | "role" | "data">): string {
  const saysSomething = parts.length > 0 || role !== undefined || data !== undefined;
  return (isHusk(type) && saysSomething ? `record ${type}` : type).slice(0, 64);
}
