/** The row of one entry: written with its checksum, read back as content. The place in the tree is the writer's affair. */
import type { EntryDraft, Role } from "../model/transcript.ts";
import { type Spoken, searchableText, shows, showsOf } from "../text/searchable.ts";
import { type Body, decodeBody, encodeBody, toJson } from "./body.ts";
import type { Database } from "./driver.ts";
import { entryCrc } from "./entry-crc.ts";
import { isHusk, storedType } from "./husk.ts";

/** What of a stored entry can change. */
export interface Content extends Pick<EntryDraft, "type" | "role" | "typed"> {
  readonly timestamp: number;
  readonly body: Body;
}

/** An entry's content as it is stored. */
export function contentOf(entry: EntryDraft, timestamp: number): Content {
  return {
    type: storedType(entry),
    ...(entry.role !== undefined && { role: entry.role }),
    ...(entry.typed === true && { typed: true as const }),
    timestamp,
    body: {
      parts: entry.parts,
      ...(entry.targetId !== undefined && { targetId: entry.targetId }),
      ...(entry.appendParentId !== undefined && { appendParentId: entry.appendParentId }),
      ...(entry.model !== undefined && { model: entry.model }),
      ...(entry.data !== undefined && { data: entry.data }),
    },
  };
}

/** What two contents are the same by: what was said, by whom, when. */
export function isSameContent(one: Content, two: Content): boolean {
  return comparable(one) === comparable(two);
}

function comparable({ type, role, timestamp, body }: Content): string {
  return [type, role, timestamp, toJson(body)].join("\n");
}

/** The text of a content that is searchable, wherever it lies; null when there is none. */
export function wordsOf(content: Content): string | null {
  return searchableText(spokenOf(content));
}

export function spokenOf({ type, role, body }: Content): Spoken {
  return { type, ...(role !== undefined && { role }), parts: body.parts };
}

export function hasToolParts({ body }: Content): boolean {
  return body.parts.some(({ type }) => type === "toolCall" || type === "toolResult");
}

export interface Placed {
  readonly no: number;
  readonly id: string;
  /** Entry number. */
  readonly parent: number | null;
  readonly active: boolean;
}

export function insertEntry(db: Database, { no, id, parent, active }: Placed, content: Content): void {
  const { shows, ...row } = columnsOf(content);
  db.prepare(`
    INSERT INTO entries (no, id, parent, type, role, timestamp, active, typed, shows, body, crc)
    VALUES (:no, :id, :parent, :type, :role, :timestamp, :active, :typed, :shows, :body, :crc)
  `).run({ no, id, parent, ...row, active: active ? 1 : 0, shows, crc: entryCrc({ ...row, id, parent }) });
}

/** Replaces an entry's content; its place in the tree stays. */
export function updateEntry(db: Database, no: number, content: Content): void {
  const place = db.prepare("SELECT id, parent FROM entries WHERE no = :no").get({ no });
  const { shows, ...row } = columnsOf(content);
  const crc = entryCrc({ ...row, id: String(place?.id), parent: (place?.parent ?? null) as number | null });
  db.prepare(`
    UPDATE entries SET type = :type, role = :role, timestamp = :timestamp, typed = :typed, shows = :shows, body = :body,
      crc = :crc WHERE no = :no
  `).run({ no, ...row, shows, crc });
}

function columnsOf({ type, role, typed, timestamp, body }: Content) {
  const bits = isHusk(type) ? 0 : showsOf({ type, ...(role !== undefined && { role }), parts: body.parts });
  return {
    type,
    role: role ?? null,
    timestamp,
    // A typed message says something: the partial index of spoken entries answers whether one comes later.
    typed: typed === true && (bits & shows.spoken) !== 0 ? 1 : 0,
    shows: bits,
    body: encodeBody(body, bits),
  };
}

export function readContent(db: Database, no: number): Content | null {
  const row = db.prepare("SELECT type, role, timestamp, typed, body FROM entries WHERE no = :no").get({ no });
  if (!row) return null;
  return {
    type: String(row.type),
    ...(row.role !== null && { role: row.role as Role }),
    ...(row.typed === 1 && { typed: true as const }),
    timestamp: Number(row.timestamp),
    body: decodeBody(row.body),
  };
}
