/**
 * Copies everything that can be read of a damaged database into a new one. The index is not copied: it is made from the
 * entries. What could not be read is counted, and where an index of SQLite's own still names a lost entry, something
 * stands in its place, so that its children keep their parent and a source can fill it again.
 */
import { type AgentId, sessionKeyOf } from "../../model/ids.ts";
import { markAllDirty } from "../dirty.ts";
import type { Database, SqlValue } from "../driver.ts";
import { type CheckedRow, entryCrc } from "../entry-crc.ts";
import { entryNo, positions, transcriptOf } from "../entry-no.ts";
import { lostRuns, type StatedEnd, shownId } from "../lost-places.ts";
import { insertLost } from "./lost-entry.ts";
import { isBetterKey } from "./mend-names.ts";
import { PageFile } from "./page-file.ts";
import { endAtNewest, mendTranscripts } from "./repair-rows.ts";
import { asRowOf, type FoundRow, findRows, followTrees, type TableShape } from "./salvage-scan.ts";

export interface Salvaged {
  /** Rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  /** Entries known to have been there whose content is lost; their ids, the first ones. */
  readonly lost: number;
  readonly lostIds: readonly string[];
  /** Sessions and transcripts that had to be made up for what hangs on them. */
  readonly madeUp: number;
  /** Entries of which only the beginning was left. */
  readonly cut: number;
  /** Pages and rows in them that could not be read, those of the index included. */
  readonly unread: number;
}

/** Tables that hold what was said and known. The others are made from these. */
const tables = [
  "entries",
  "sessions",
  "transcripts",
  "aliases",
  "source_files",
  "pending_titles",
  "tombstones",
  "audit",
];

/** Ids named of what was lost. */
const mostIds = 20;

/**
 * @param path The damaged file; only read.
 * @param db A new store's database, to be filled. Foreign keys have to be off.
 */
export async function salvage(
  path: string,
  db: Database,
  agentId: AgentId,
  tick: (rows: number) => Promise<void>,
): Promise<Salvaged> {
  const file = new PageFile(path);
  try {
    const target = new Target(db);
    const trees = followTrees(file);
    db.exec("BEGIN");
    let seen = 0;
    const unread = { pages: 0, cells: 0 };
    for (const row of findRows(file, trees, unread)) {
      target.take(row);
      seen += 1;
      if (seen % 2000 === 0) {
        db.exec("COMMIT");
        await tick(2000);
        db.exec("BEGIN");
      }
    }
    target.moveMisplaced();
    const madeUp = target.makeUpParents(agentId);
    const lost = target.standIns();
    mendTranscripts(db);
    markAllDirty(db, "repair");
    db.exec("COMMIT");
    return {
      rows: target.counts,
      lost: lost.length,
      lostIds: lost.slice(0, mostIds),
      madeUp,
      cut: target.cut,
      unread: unread.pages + unread.cells,
    };
  } finally {
    file.close();
  }
}

/** The new database, filled row by row. */
class Target {
  readonly counts: Record<string, number> = {};
  cut = 0;
  readonly #db: Database;
  readonly #shapes: readonly TableShape[];
  /** By entry number: what the index of ids says. */
  readonly #ids = new Map<number, string>();
  /** By transcript and session number: what their unique indexes say. */
  readonly #sessionIds = new Map<number, string>();
  readonly #sessionsOf = new Map<number, { session: number; generation: number }>();
  readonly #keys = new Map<number, string>();
  /** Entries, right by their checksum, whose number another one has. */
  readonly #displaced: Record<string, SqlValue>[] = [];

  constructor(db: Database) {
    this.#db = db;
    this.#shapes = tables.map((name) => shapeOf(db, name));
  }

  take(row: FoundRow): void {
    if (row.rowid === null && !row.guessed) this.#takeIndex(row);
    for (const shape of this.#shapes) {
      // Pages that changed places: an entry's checksum says whose it is, whatever tree leads to it.
      const strayed = row.owner !== null && row.owner !== shape.name;
      if (strayed && shape.name !== "entries") continue;
      const values = asRowOf(shape, row);
      if (strayed && (values === null || !row.complete || values.crc !== crcOf(values))) continue;
      if (values === null || (row.owner === null && !isOwn(shape.name, values))) continue;
      if (shape.name === "entries") this.#takeEntry(values, row);
      else if (row.complete && !row.guessed) this.#insert(shape.name, values);
      return;
    }
  }

  /**
   * Entries whose own number was damaged: at a number that the index of ids does not know, with the id of one that is
   * missing where it does. Their checksum says that nothing else is wrong with them.
   */
  moveMisplaced(): void {
    const db = this.#db;
    const has = db.prepare("SELECT 1 FROM entries WHERE no = :no");
    const same = db.prepare("SELECT * FROM entries WHERE id = :id");
    const homeless = new Map<string, Record<string, SqlValue>>();
    for (const values of this.#displaced) {
      const no = Number(values.no);
      const there = db.prepare("SELECT * FROM entries WHERE no = :no").get({ no });
      if (there && this.#ids.get(no) === values.id && there.id !== values.id) {
        db.prepare("DELETE FROM entries WHERE no = :no").run({ no });
        this.#insert("entries", values);
        homeless.set(String(there.id), { ...there });
      } else homeless.set(String(values.id), values);
    }
    for (const [no, id] of this.#ids) {
      if (has.get({ no })) continue;
      const found = homeless.get(id);
      if (found && this.#insert("entries", { ...found, no })) continue;
      const other = same.all({ id }).find((row) => !this.#ids.has(Number(row.no)) && row.crc === crcOf(row));
      if (other) db.prepare("UPDATE entries SET no = :no WHERE no = :other").run({ no, other: Number(other.no) });
    }
  }

  /** Sessions and transcripts that rows hang on and that are not there, from the indexes or by name. */
  makeUpParents(agentId: AgentId): number {
    const db = this.#db;
    let made = 0;
    for (const transcript of this.#transcriptsOfEntries()) {
      if (db.prepare("SELECT 1 FROM transcripts WHERE no = :no").get({ no: transcript })) continue;
      const known = this.#sessionsOf.get(transcript);
      const row = {
        no: transcript,
        session: known?.session ?? null,
        sessionId: this.#sessionIds.get(transcript) ?? `recovered-${transcript}`,
        generation: known?.generation ?? 1,
      };
      if (row.session === null) {
        db.prepare("INSERT INTO sessions (key) VALUES (:key)").run({
          key: sessionKeyOf(agentId, `recovered-${transcript}`),
        });
        row.session = Number(db.prepare("SELECT max(no) AS no FROM sessions").get()?.no);
      }
      db.prepare(
        "INSERT INTO transcripts (no, session, session_id, generation) VALUES (:no, :session, :sessionId, :generation)",
      ).run(row);
      endAtNewest(db, transcript);
      made += 1;
    }
    // A row whose key is none: the index may still have it.
    for (const { no, key } of db.prepare("SELECT no, key FROM sessions").all()) {
      const indexed = this.#keys.get(Number(no));
      if (indexed === undefined || indexed === key) continue;
      const first = db.prepare(
        "SELECT session_id AS id FROM transcripts WHERE session = :no ORDER BY generation LIMIT 1",
      );
      if (isBetterKey(indexed, String(key), agentId, String(first.get({ no: Number(no) })?.id)))
        db.prepare("UPDATE OR IGNORE sessions SET key = :indexed WHERE no = :no").run({ no: Number(no), indexed });
    }
    const orphans = db.prepare(
      "SELECT DISTINCT session FROM transcripts WHERE session NOT IN (SELECT no FROM sessions) ORDER BY session",
    );
    for (const { session } of orphans.all()) {
      const no = Number(session);
      const key = this.#keys.get(no) ?? sessionKeyOf(agentId, `recovered-session-${no}`);
      db.prepare("INSERT INTO sessions (no, key) VALUES (:no, :key)").run({ no, key });
      made += 1;
    }
    return made;
  }

  /** Something in every place where an entry was and none is. Returns the ids. */
  standIns(): string[] {
    const db = this.#db;
    const highest = new Map<number, number>();
    for (const no of this.#ids.keys()) highest.set(transcriptOf(no), Math.max(no, highest.get(transcriptOf(no)) ?? no));
    const transcripts = db.prepare("SELECT no, next, leaf, append_at AS appendAt FROM transcripts ORDER BY no").all();
    return transcripts.flatMap((row) => {
      const stated = { ...(row as unknown as StatedEnd), known: highest.get(Number(row.no)) ?? null };
      return [...lostRuns(db, stated)].flatMap((run) => insertLost(db, run, run, this.#ids)).map(shownId);
    });
  }

  #transcriptsOfEntries(): number[] {
    const next = this.#db.prepare("SELECT no FROM entries WHERE no >= :from ORDER BY no LIMIT 1");
    const found: number[] = [];
    for (let row = next.get({ from: 0 }); row; ) {
      const transcript = transcriptOf(Number(row.no));
      found.push(transcript);
      row = next.get({ from: entryNo(transcript + 1, 0) });
    }
    return found;
  }

  #takeIndex({ owner, values }: FoundRow): void {
    const [a, b, c] = values;
    if (typeof a === "string" && typeof b === "number") {
      const isId = typeof c === "number" && transcriptOf(c) === b && b > 0;
      if (isId && (owner === null || owner === "entries_by_id")) this.#ids.set(c, a);
      else if (owner === "sqlite_autoindex_transcripts_1") this.#sessionIds.set(b, a);
      else if (owner === "sqlite_autoindex_sessions_1") this.#keys.set(b, a);
    } else if (owner === "sqlite_autoindex_transcripts_2") {
      if (typeof a === "number" && typeof b === "number" && typeof c === "number")
        this.#sessionsOf.set(c, { session: a, generation: b });
    }
  }

  #takeEntry(values: Record<string, SqlValue>, { complete, guessed }: FoundRow): void {
    const no = Number(values.no);
    if (no < positions || !("body" in values)) return;
    const isRight = complete && typeof values.crc === "number" && values.crc === crcOf(values);
    if (guessed && !isRight) return;
    if (!complete) values.crc = 0;
    if (this.#insert("entries", values)) {
      if (!complete) this.cut += 1;
      return;
    }
    // Found twice: the one that is what was written stays.
    const other = this.#db.prepare("SELECT * FROM entries WHERE no = :no").get({ no });
    if (isRight && other && other.id !== values.id) this.#displaced.push(values);
    if (!isRight || (other && other.crc === crcOf(other))) return;
    this.#db.prepare("DELETE FROM entries WHERE no = :no").run({ no });
    this.#insert("entries", values);
    this.counts.entries = (this.counts.entries ?? 1) - 1;
  }

  #insert(table: string, values: Record<string, SqlValue>): boolean {
    const names = Object.keys(values);
    const numbered = Object.fromEntries(names.map((name, at) => [letters(at), values[name] ?? null]));
    const changed = this.#db
      .prepare(
        `INSERT OR IGNORE INTO ${table} (${names.map((name) => `"${name}"`).join(", ")}) VALUES (${names.map((_, at) => `:${letters(at)}`).join(", ")})`,
      )
      .run(numbered);
    if (changed > 0) this.counts[table] = (this.counts[table] ?? 0) + 1;
    return changed > 0;
  }
}

/** Names of parameters: columns can be called what a parameter can't. */
function letters(at: number): string {
  return `p${String.fromCharCode(97 + at)}`;
}

function crcOf(values: Readonly<Record<string, SqlValue>>): number {
  return entryCrc(values as unknown as CheckedRow);
}

/** On a page that no tree leads to, what tells the tables apart whose rows have the same types. */
function isOwn(table: string, values: Readonly<Record<string, SqlValue>>): boolean {
  if (table === "sessions") return String(values.key).startsWith("agent:");
  if (table === "source_files") return ["whole", "first", "again"].includes(String(values.stage));
  if (table === "entries") return values.active === 0 || values.active === 1;
  return true;
}

function shapeOf(db: Database, table: string): TableShape {
  const columns = db
    .prepare('SELECT name, type, "notnull", dflt_value AS standard, pk FROM pragma_table_info(:table)')
    .all({ table });
  const withoutRowid = db.prepare("SELECT wr FROM pragma_table_list WHERE name = :table").get({ table })?.wr === 1;
  const key = columns.filter(({ pk }) => Number(pk) > 0);
  const rowid = withoutRowid ? null : String(key[0]?.name);
  // Columns behind the last one that the first schema had can be missing.
  const added: readonly string[] = ["crc", "append_at", "deleted"];
  return {
    name: table,
    columns: columns.map(({ name, type, notnull, pk }) => ({
      name: String(name),
      type: String(type),
      required: notnull === 1 || Number(pk) > 0,
    })),
    rowid,
    least: columns.filter(({ name }) => !added.includes(String(name))).length,
  };
}
