/**
 * What the ids of one transcript mean, for whoever writes into it: an entry of its own, or an alias. Keeps those that were
 * written through it, and stores aliases together.
 */
import { limits } from "../limits.ts";
import type { Database } from "./driver.ts";

export class EntryIds {
  readonly #db: Database;
  readonly #transcript: number;
  /** Saves the look-up for the usual parent, the entry before. */
  readonly #known = new Map<string, number | null>();
  /** Whether `#known` holds every id there is, as the transcript was empty: then a new id needs no look-up at all. */
  #knowsAll: boolean;
  #unstored: [string, number | null][] = [];

  /** @param isEmpty Whether the transcript has no entry yet; it may have aliases. */
  constructor(db: Database, transcript: number, isEmpty: boolean) {
    this.#db = db;
    this.#transcript = transcript;
    this.#knowsAll =
      isEmpty &&
      db.prepare("SELECT 1 FROM aliases WHERE transcript = :no LIMIT 1").get({ no: transcript }) === undefined;
  }

  /** The entry of an id or alias; null for an alias of "above the root"; undefined when nothing has that id. */
  find(id: string): number | null | undefined {
    const known = this.#known.get(id);
    if (known !== undefined || this.#knowsAll) return known;
    const transcript = this.#transcript;
    const entry = this.#db
      .prepare("SELECT no FROM entries WHERE id = :id AND no >> 24 = :transcript")
      .get({ id, transcript });
    if (entry) return Number(entry.no);
    const alias = this.#db
      .prepare("SELECT entry FROM aliases WHERE transcript = :transcript AND id = :id")
      .get({ id, transcript });
    return alias ? (alias.entry as number | null) : undefined;
  }

  /** Whether an entry goes by this id itself, not by an alias. */
  isOwn(id: string): boolean {
    const no = this.find(id);
    return typeof no === "number" && this.#db.prepare("SELECT id FROM entries WHERE no = :no").get({ no })?.id === id;
  }

  /** An entry that was stored by this id. */
  know(id: string, no: number | null): void {
    if (this.#known.size >= limits.idsKept.default) {
      this.store();
      this.#known.clear();
      this.#knowsAll = false;
    }
    this.#known.set(id, no);
  }

  /**
   * From now on `id` means the entry `no` (null: above the root). The first meaning of an id stays, an entry's own above all.
   * Returns whether it had none.
   */
  alias(id: string, no: number | null): boolean {
    if (this.find(id) !== undefined) return false;
    this.#unstored.push([id, no]);
    this.know(id, no);
    return true;
  }

  /** All aliases at once: as many single inserts took three times as long. Must happen before the transaction ends. */
  store(): void {
    if (this.#unstored.length === 0) return;
    this.#db
      .prepare(`
        INSERT INTO aliases (transcript, id, entry)
        SELECT :transcript, value ->> 0, value ->> 1 FROM json_each(:aliases) WHERE true ON CONFLICT DO NOTHING
      `)
      .run({ transcript: this.#transcript, aliases: JSON.stringify(this.#unstored) });
    this.#unstored = [];
  }
}
