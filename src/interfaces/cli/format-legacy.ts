/** What `doctor import` reports, as text. */
import type {
  LegacyAgent,
  LegacyCounts,
  LegacyDifference,
  LegacyInspectReport,
  LegacyReport,
  LegacyStay,
  Problem,
} from "../../index.ts";
import { formatReport } from "./format-tables.ts";
import { bytes, localTime, number, type Output, paint, plain } from "./terminal.ts";

/** Whether nothing is left to see to. */
export function isClean(report: LegacyReport): boolean {
  switch (report.mode) {
    case "inspect":
      return report.problems.length === 0;
    case "validate":
      return Object.keys(report.differenceCounts).length === 0 && report.problems.length === 0;
    case "restore":
      return report.stays.length === 0;
    default:
      return report.stays.length === 0 && report.problems.length === 0;
  }
}

export function formatLegacy(report: LegacyReport, output: Output): string {
  return [paint(output, "bold", plain(report.folder)), ...body(report, output)].join("\n");
}

function body(report: LegacyReport, output: Output): string[] {
  switch (report.mode) {
    case "inspect":
      return [...inspection(report), ...problemLines(report.problems, output)];
    case "dry-run":
      return [
        formatReport(report.report, output),
        `A try: ${some(report.files, "file")} with ${counted(report.counts)}. Nothing was written.`,
        ...stayLines("would not move", report.stays, output),
        ...problemLines(report.problems, output),
      ];
    case "import":
      return [
        formatReport(report.report, output),
        `${number(report.verified)} of ${some(report.files, "file")} verified; ${counted(report.counts)} looked up`,
        ...(report.run === null
          ? ["Nothing new: no file to move."]
          : [`Run ${report.run}: ${some(report.moved, "file")} in ${plain(report.archive ?? "")}`]),
        ...(report.run === null
          ? []
          : [
              `Undo: backscroll doctor import ${plain(JSON.stringify(report.folder))} --mode restore --run ${report.run}`,
            ]),
        ...stayLines("not moved", report.stays, output),
        ...problemLines(report.problems, output),
      ];
    case "validate": {
      const counts = Object.entries(report.differenceCounts).map(([code, count]) => `${code} ${number(count)}`);
      return [
        `${some(report.files, "file")} compared, ${counted(report.counts)}`,
        counts.length === 0 ? "All of it is in the store." : `Differences: ${counts.join(", ")}`,
        ...differenceLines(report.differences, output),
        ...problemLines(report.problems, output),
      ];
    }
    case "restore":
      return [
        report.run === null
          ? "No run to undo."
          : `Run ${report.run}: ${some(report.restored, "file")} moved back${report.restored === 0 ? "; the others are back already" : ""}`,
        ...stayLines("left in the archive", report.stays, output),
      ];
  }
}

function inspection({ agents, runs }: LegacyInspectReport): string[] {
  return [
    ...(agents.length === 0 ? ["No files."] : agents.flatMap(agentLines)),
    ...runs.map(
      ({ run, at, status, archived }) =>
        `Run ${run} of ${localTime(at)}: ${status === "moving" ? "was cut short" : status}, ${some(archived, "file")} in its archive`,
    ),
  ];
}

function agentLines(agent: LegacyAgent): string[] {
  const skipped = Object.entries(agent.skipped).map(([reason, count]) => `    ${number(count)} ${plain(reason)}`);
  return [
    `  ${agent.agentId}: ${some(agent.transcripts, "transcript")}, ${bytes(agent.bytes)}; ${some(agent.lists, "list")} with ` +
      `${some(agent.listed, "session")}; ${some(agent.imported, "file")} imported as they are`,
    ...skipped,
    ...(agent.foreign === 0 ? [] : [`    ${some(agent.foreign, "file")} of other kinds`]),
  ];
}

function counted({ sessions, entries, merged, deleted }: LegacyCounts): string {
  const extra = [
    ...(merged === 0 ? [] : [`${number(merged)} part of another`]),
    ...(deleted === 0 ? [] : [`${number(deleted)} deleted here, and left so`]),
  ];
  return `${some(sessions, "session")} and ${some(entries, "entry", "entries")}${extra.length === 0 ? "" : ` (${extra.join(", ")})`}`;
}

function some(count: number, one: string, more = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : more}`;
}

/** Files and differences listed; `--json` has more. */
const mostLines = 20;

function stayLines(verb: string, stays: readonly LegacyStay[], output: Output): string[] {
  if (stays.length === 0) return [];
  const title = `${some(stays.length, "file")} ${verb}:`;
  return [title, ...listed(stays, ({ path, reason }) => `${path}: ${reason}`, output)];
}

function differenceLines(differences: readonly LegacyDifference[], output: Output): string[] {
  return listed(
    differences,
    ({ code, path, sessionId, entryId, reason }) =>
      `${code}: ${path}: ${[sessionId, entryId].filter((id) => id !== undefined).join(" ")} ${reason}`,
    output,
  );
}

function problemLines(problems: readonly Problem[], output: Output): string[] {
  return listed(problems, ({ code, path, reason }) => `${code}: ${path}: ${reason}`, output);
}

function listed<T>(items: readonly T[], text: (item: T) => string, output: Output): string[] {
  const more = items.length - mostLines;
  return [
    ...items.slice(0, mostLines).map((item) => `  ${plain(text(item))}`),
    ...(more > 0 ? [`  and ${number(more)} more; --json lists them`] : []),
  ].map((line) => paint(output, "dim", line));
}
