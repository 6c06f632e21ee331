/** The ordered list. A migration that was released never changes; a frozen file of each schema stays in the tests. */
import type { Migration } from "../migration.ts";
import { transcripts } from "./0001-transcripts.ts";
import { searchIndex } from "./0002-search-index.ts";
import { lifeCycle } from "./0003-life-cycle.ts";
import { wordForms } from "./0004-word-forms.ts";

export const migrations: readonly Migration[] = [transcripts, searchIndex, lifeCycle, wordForms];
