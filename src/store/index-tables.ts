/** The tables of an index: there are two of one build, that of the messages and that of tool calls and results (SPEC 3.7). */

export interface IndexTables {
  /** FTS5. */
  readonly fts: "message_index" | "tool_index";
  /** One narrow row per indexed entry. */
  readonly map: "messages" | "tool_messages";
  /** SQL: a table with `transcript`, `messages` and `tokens`. */
  readonly totals: string;
}

export const messageTables: IndexTables = {
  fts: "message_index",
  map: "messages",
  totals: "(SELECT no AS transcript, messages, tokens FROM transcripts)",
};

export const toolTables: IndexTables = { fts: "tool_index", map: "tool_messages", totals: "tool_totals" };

export const bothIndexes: readonly IndexTables[] = [messageTables, toolTables];
