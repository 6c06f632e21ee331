/**
 * What the doctor can find: a closed set of codes, each with what it means and how it is mended. A fault means that
 * something stored can't be relied on; a notice is worth knowing and harms nothing.
 */
import type { AgentId } from "./ids.ts";

export type Severity = "fault" | "notice";

interface FindingKind {
  readonly severity: Severity;
  /** One sentence; stands for all places where it was found. */
  readonly message: string;
  /** What `--fix` does about it, in a sentence. */
  readonly mend: string;
}

const reindexed = "--fix indexes those messages anew, from the transcripts.";
const salvaged =
  "--fix copies everything that can be read into a new file, keeps the old one in a folder damaged-<time> and has the sources read anew.";

/** In the order in which they are told. */
export const findingKinds = {
  "foreign-file": {
    severity: "fault",
    message: "The file is another program's.",
    mend: "It is never touched. Choose another home folder, or move that file away.",
  },
  "newer-schema": {
    severity: "fault",
    message: "The file was written by a newer version of Backscroll.",
    mend: "It is never touched. Update Backscroll.",
  },
  "check-failed": {
    severity: "fault",
    message: "A check could not be made: what it reads is damaged.",
    mend: salvaged,
  },
  "damaged-pages": {
    severity: "fault",
    message: "Pages of the file are damaged.",
    mend: salvaged,
  },
  "wal-damaged": {
    severity: "fault",
    message: "The write-ahead log beside the file can't be read whole.",
    mend: salvaged,
  },
  "wal-foreign": {
    severity: "fault",
    message: "The write-ahead log beside the file belongs to another database, or to another time of this one.",
    mend: "--fix moves the log into a folder damaged-<time>; the file is then what it is by itself.",
  },
  "wal-unfinished": {
    severity: "notice",
    message: "The write-ahead log ends inside a write: a process was killed, or is writing right now.",
    mend: "Nothing has to be done. What was not finished was never acknowledged, and is passed over.",
  },
  "wrong-version": {
    severity: "fault",
    message: "The file's marks (application_id, user_version) are not those of its schema.",
    mend: "--fix sets them.",
  },
  "schema-object": {
    severity: "fault",
    message: "Tables, indexes or triggers are missing or not as the migrations make them.",
    mend: "--fix makes them again and refills what belongs to the index; a changed table of transcripts is copied into a new file.",
  },
  "damaged-index": {
    severity: "fault",
    message: "An index of SQLite's own disagrees with its table.",
    mend: "--fix makes that index anew.",
  },
  "damaged-search-index": {
    severity: "fault",
    message: "The full-text index is damaged.",
    mend: "--fix makes it anew, from the transcripts.",
  },
  "orphan-row": {
    severity: "fault",
    message: "Rows belong to a session, a transcript or an entry that is not there.",
    mend: "--fix gives entries without a transcript a session of their own, and removes other rows that lead nowhere.",
  },
  "empty-session": {
    severity: "notice",
    message: "Sessions have no transcript.",
    mend: "--fix gives each an empty one.",
  },
  "wrong-value": {
    severity: "fault",
    message: "A session or transcript says what none can say.",
    mend: "--fix sets it to what is said when nothing is known, and has the sources read anew.",
  },
  "wrong-parent": {
    severity: "fault",
    message: "Entries hang below one that is not there or does not come before them.",
    mend: "--fix hangs each below the parent that its checksum names, else below the entry before it.",
  },
  "missing-entry": {
    severity: "fault",
    message: "Entries are gone from the middle of a transcript, or from its end.",
    mend: "--fix keeps their places, so that what hangs below them stays where it is, and has the sources read anew.",
  },
  "wrong-leaf": {
    severity: "fault",
    message: "A transcript ends at another entry than its entries say, or at one that is not there.",
    mend: "--fix lets it end where the active flags lead; where they form no single path, at its newest entry.",
  },
  "wrong-counter": {
    severity: "fault",
    message: "A transcript's counters are not what there is.",
    mend: "--fix counts again.",
  },
  "wrong-flag": {
    severity: "fault",
    message: "Entries are marked as on the active branch that are not on it, or the other way round.",
    mend: "--fix marks them anew, from the leaf.",
  },
  "unreadable-entry": {
    severity: "fault",
    message: "The content of entries can't be read.",
    mend: "--fix keeps what is there as a part of type other, and has the source read anew.",
  },
  "changed-entry": {
    severity: "fault",
    message: "Entries are not what was written: their checksum differs.",
    mend: "--fix has their source read anew; what no source has stays as it is, with a checksum of what it says now.",
  },
  "wrong-facts": {
    severity: "fault",
    message: "Entries are filed under something else than what they hold.",
    mend: "--fix files them anew, from their content.",
  },
  "no-checksum": {
    severity: "notice",
    message: "Entries were written by an older version, without a checksum.",
    mend: "--fix writes it.",
  },
  "lost-entry": {
    severity: "notice",
    message: "The content of entries was lost to damage that was repaired; only their places in the tree are left.",
    mend: "They come back when a source that has them is read: backscroll sync.",
  },
  "wrong-alias": {
    severity: "fault",
    message: "Other ids lead to entries that are not there.",
    mend: "--fix removes them, and has the sources read anew.",
  },
  "wrong-name": {
    severity: "fault",
    message: "Titles or project folders are filed for filters under something else than what they say.",
    mend: "--fix files them anew.",
  },
  "wrong-dirty": {
    severity: "fault",
    message: "A range that waits for indexing is none.",
    mend: "--fix marks the whole transcript, which is then indexed anew.",
  },
  "lost-tombstone": {
    severity: "fault",
    message: "The store no longer knows of something forgotten that the file beside it still names.",
    mend: "--fix takes it back into the store: from then on no sync brings it back. What one brought back meanwhile, forget again.",
  },
  "mirror-behind": {
    severity: "notice",
    message: "The file that names once more what was forgotten lacks some of it: it is older, or a process was killed.",
    mend: "--fix adds it.",
  },
  "mirror-damaged": {
    severity: "notice",
    message: "The file that names once more what was forgotten can't be read whole.",
    mend: "--fix writes it anew, from the store and from what can be read of it.",
  },
  "missing-message": {
    severity: "fault",
    message: "Messages of the active branch are not in the index.",
    mend: reindexed,
  },
  "extra-message": {
    severity: "fault",
    message: "The index has messages that are not there, or that are not to be found.",
    mend: "--fix takes them out.",
  },
  "off-branch-message": {
    severity: "fault",
    message: "The index has messages that are not on the active branch.",
    mend: reindexed,
  },
  "stale-message": {
    severity: "fault",
    message: "The index has messages with other words, another role or another time than they have.",
    mend: reindexed,
  },
  "search-failed": {
    severity: "fault",
    message: "A real search failed.",
    mend: "--fix makes the full-text index anew, from the transcripts.",
  },
  "not-found": {
    severity: "fault",
    message: "A real search did not find a message by its own words.",
    mend: reindexed,
  },
  pending: {
    severity: "notice",
    message: "Transcripts wait for indexing.",
    mend: "Nothing has to be done: the next search or --fix goes on with it.",
  },
  unpurged: {
    severity: "notice",
    message: "Words of deleted messages may still lie in the file, where no search finds them.",
    mend: "Nothing has to be done: --fix, forget and sync rewrite those parts.",
  },
  "open-mode": {
    severity: "fault",
    message: "Others on this machine may read or write files of the home.",
    mend: "--fix makes folders 0700 and files 0600.",
  },
  "unlisted-folder": {
    severity: "fault",
    message: "A folder of the home can't be listed: nobody knows what lies in it.",
    mend: "Make it readable for you (chmod, chown), or put a folder in its place.",
  },
  "symbolic-link": {
    severity: "notice",
    message: "Something in the home is a symbolic link. A link in place of an agent's folder is not read.",
    mend: "Move what it leads to here, if it belongs here.",
  },
  "stray-file": {
    severity: "notice",
    message: "Files lie in the home that Backscroll did not put there, or left behind.",
    mend: "Look at them, and move or remove them.",
  },
} as const satisfies Record<string, FindingKind>;

export type FindingCode = keyof typeof findingKinds;
export const findingCodes = Object.keys(findingKinds) as FindingCode[];

export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** Absent for what concerns the whole home. */
  readonly agentId?: AgentId;
  /** How often. */
  readonly count: number;
  /** The first places: file, table, session and entry. Never holds transcript text. */
  readonly places: readonly string[];
  readonly message: string;
  readonly mend: string;
}
