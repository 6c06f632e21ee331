/** Session lists, import reports and statistics as text. */
import type { ImportReport, SessionRow, SessionsAnswer, StoreStats } from "../../index.ts";
import { bytes, localTime, number, type Output, paint, plain } from "./terminal.ts";

export function formatSessions(answer: SessionsAnswer, output: Output): string {
  const rows = answer.sessions.map((row) => formatSession(row, output));
  const shown = `${answer.sessions.length} of ${answer.totalSessions} sessions`;
  const more = answer.cursor === undefined ? "" : `; next page: --cursor ${answer.cursor}`;
  return [
    ...rows,
    paint(output, "dim", shown + more),
    ...(answer.warning === undefined ? [] : [paint(output, "yellow", plain(answer.warning))]),
  ].join("\n");
}

function formatSession(row: SessionRow, output: Output): string {
  const when = row.updatedAt === undefined ? "no time         " : localTime(row.updatedAt);
  const about = [
    row.source ?? row.agentId,
    ...(row.kind === "direct" ? [] : [row.kind]),
    ...(row.archived ? ["archived"] : []),
  ].join(", ");
  return [
    `${paint(output, "cyan", when)}  ${paint(output, "bold", plain(row.title ?? "(untitled)"))}  ${paint(output, "dim", `${about}, ${row.messages} messages`)}`,
    `                  ${paint(output, "dim", plain(row.sessionKey))}`,
  ].join("\n");
}

export function formatReport(report: ImportReport, output: Output): string {
  const { files, entries } = report;
  const read = files.imported + files.grown + files.reread;
  const lines = [
    `${number(files.found)} files: ${number(read)} read (${number(files.imported)} new, ${number(files.grown)} grown, ${number(files.reread)} read again), ` +
      `${number(files.unchanged)} unchanged, ${number(files.skipped)} skipped, ${number(files.foreign)} of other kinds, ${number(files.failed)} failed`,
    `${number(report.sessions)} sessions changed, ${number(report.messages)} messages added (${number(entries.added)} entries; ${number(entries.same)} were there, ` +
      `${number(entries.changed)} changed, ${number(entries.extended)} extended) from ${bytes(report.bytes)} in ${(report.ms / 1000).toFixed(1)} s`,
  ];
  if (files.vanished > 0) lines.push(`${number(files.vanished)} files imported before are gone; what they said stays`);
  if (report.forgotten > 0) lines.push(`${number(report.forgotten)} transcripts passed over: they were forgotten`);
  if (report.forgottenEntries > 0)
    lines.push(`${number(report.forgottenEntries)} entries passed over: they were forgotten under other ids`);
  if (files.pending > 0) lines.push(`${number(files.pending)} files are still to be read`);
  lines.push(
    ...counts("skipped files", report.skipped),
    ...counts("records without anything to keep", report.ignored),
    ...counts("problems", report.problemCounts),
  );
  lines.push(...problemLines(report, output));
  return lines.join("\n");
}

/** Lines of problems: the first of each kind and file stands for the others. */
const mostProblems = 20;

function problemLines({ problems, problemCounts }: ImportReport, output: Output): string[] {
  const groups = Map.groupBy(problems, ({ code, path }) => `${code} ${path}`);
  const lines = [...groups.values()].slice(0, mostProblems).flatMap(([first, ...others]) => {
    if (!first) return [];
    const { code, path, line, reason } = first;
    const more = others.length === 0 ? "" : ` (and ${number(others.length)} more in this file)`;
    return [`  ${code}: ${path}${line === undefined ? "" : `:${line}`}: ${reason}${more}`];
  });
  const listed = [...groups.values()].slice(0, mostProblems).flat().length;
  const unlisted = Object.values(problemCounts).reduce((sum, each) => sum + each, 0) - listed;
  if (unlisted > 0) lines.push(`  and ${number(unlisted)} more; --json lists up to 1,000`);
  return lines.map((line) => paint(output, "dim", plain(line)));
}

/** Kinds named in a line; programs have dozens of record types. */
const mostKinds = 8;

function counts(title: string, byName: Readonly<Record<string, number>>): string[] {
  const entries = Object.entries(byName).sort((a, b) => b[1] - a[1]);
  return entries.length === 0
    ? []
    : [
        `${title}: ${entries
          .slice(0, mostKinds)
          .map(([name, count]) => `${plain(name)} ${number(count)}`)
          .join(
            ", ",
          )}${entries.length > mostKinds ? ` and ${entries.length - mostKinds} other kinds; --json lists all` : ""}`,
      ];
}

export function formatStats(
  home: string,
  stats: readonly { agentId: string; stats: StoreStats }[],
  output: Output,
): string {
  if (stats.length === 0) return `${home}: empty`;
  const rows = stats.map(({ agentId, stats: s }) =>
    [
      paint(output, "bold", agentId),
      `  ${number(s.sessions)} sessions, ${number(s.messages)} messages searchable, ${number(s.entries)} entries, ${number(s.files)} files`,
      `  ${bytes(s.bytes)}, of which the index ${bytes(s.indexBytes)}`,
      ...(s.oldest === null || s.newest === null ? [] : [`  ${localTime(s.oldest)} to ${localTime(s.newest)}`]),
      ...(s.dirty === 0 ? [] : [`  ${number(s.dirty)} sessions waiting to be indexed`]),
    ].join("\n"),
  );
  return [home, ...rows].join("\n");
}
