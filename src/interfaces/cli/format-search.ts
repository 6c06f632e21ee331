/** A search answer as text. */
import type { Hit, SearchAnswer } from "../../index.ts";
import { highlight, localTime, type Output, paint, plain } from "./terminal.ts";

export function formatSearch(answer: SearchAnswer, output: Output): string {
  const blocks = answer.results.map((hit, at) => formatHit(hit, at + 1, output));
  const notes: string[] = [];
  if (answer.truncated) notes.push("There is more: ask for more with --limit, --per-session or narrower words.");
  if (answer.warning !== undefined) notes.push(answer.warning);
  if (answer.results.length === 0) notes.push(...explainNone(answer));
  else if (answer.results.every(({ tier }) => tier === "some")) notes.push(...explainSome(answer));
  return [...blocks, ...(notes.length > 0 ? [notes.map((note) => paint(output, "dim", note)).join("\n")] : [])].join(
    "\n\n",
  );
}

/** What a hit of a looser tier lacks; that of a stricter one goes without saying. */
const loose = { prefix: "last word as a beginning", forms: "other word forms", some: "some of the words" } as const;

function formatHit(hit: Hit, at: number, output: Output): string {
  const where = [
    hit.source ?? hit.agentId,
    hit.title === undefined ? undefined : plain(hit.title),
    project(hit),
  ].filter((part) => part !== undefined);
  const extra = [
    hit.role,
    ...(hit.part === undefined ? [] : ["tool traffic"]),
    ...(hit.tier in loose ? [loose[hit.tier as keyof typeof loose]] : []),
    ...(hit.copies === undefined ? [] : [`${hit.copies} copies`]),
    ...(hit.moreInSession === undefined ? [] : [`${hit.moreInSession} more in this session`]),
  ];
  return [
    `${paint(output, "bold", `${at}.`)} ${paint(output, "cyan", localTime(hit.timestamp))}  ${where.join(" · ")}  ${paint(output, "dim", `(${extra.join(", ")})`)}`,
    `   ${highlight(output, plain(hit.snippet), hit.highlights)}`,
    `   ${paint(output, "dim", `${plain(hit.sessionKey)}  ${plain(hit.messageId)}`)}`,
  ].join("\n");
}

function project(hit: Hit): string | undefined {
  return hit.project === undefined
    ? undefined
    : plain(hit.project.split(/[\\/]/).filter(Boolean).at(-1) ?? hit.project);
}

function explainNone({ explain }: SearchAnswer): string[] {
  if (!explain) return ["Nothing found."];
  return [
    "Nothing found.",
    ...explain.terms.map(
      ({ term, messages }) => `  ${plain(term)}: in ${messages} ${messages === 1 ? "message" : "messages"}`,
    ),
    ...explainSome({ explain }),
  ];
}

function explainSome({ explain }: Pick<SearchAnswer, "explain">): string[] {
  return [
    ...(explain?.ignored ? [`Not looked for: ${explain.ignored.map(plain).join(" ")}`] : []),
    ...(explain?.hint ? [plain(explain.hint)] : []),
  ];
}
