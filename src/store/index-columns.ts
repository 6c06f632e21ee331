/** What an index stores of a text: its words, and the terms by which those of its transcript and week are found. */
import { type IndexedText, indexText } from "../text/index-text.ts";
import { transcriptOf } from "./entry-no.ts";
import { transcriptTerm, weekOf, weekTerm } from "./index-row.ts";

export function indexColumns(no: number, timestamp: number, text: string): IndexedText {
  const words = indexText(text);
  const mark = `${transcriptTerm(transcriptOf(no))} ${weekTerm(weekOf(timestamp))}`;
  return { ...words, stems: words.stems === "" ? mark : `${words.stems} ${mark}` };
}
