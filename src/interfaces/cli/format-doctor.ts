/** The doctor's report as text. */
import type { AgentHealth, DoctorReport, Finding, Repair } from "../../index.ts";
import { formatReport } from "./format-tables.ts";
import { number, type Output, paint, plain } from "./terminal.ts";

export function formatDoctor(report: DoctorReport, output: Output): string {
  const { agents, findings, repairs = [], imported, sourcesWaiting } = report;
  const home = findings.filter(({ agentId }) => agentId === undefined);
  return [
    plain(report.home),
    ...home.flatMap((finding) => formatFinding(finding, output)),
    ...agents.flatMap((agent) => formatAgent(agent, findings, output)),
    ...formatRepairs(repairs, output),
    ...(imported ? ["The sources were read anew:", formatReport(imported, output)] : []),
    ...(sourcesWaiting ? ["The next backscroll sync reads the sources anew."] : []),
    verdict(report, output),
  ].join("\n");
}

function formatAgent(
  { agentId, checked, failed }: AgentHealth,
  findings: readonly Finding[],
  output: Output,
): string[] {
  const own = findings.filter((finding) => finding.agentId === agentId);
  return [
    paint(output, "bold", agentId),
    failed === undefined
      ? paint(
          output,
          "dim",
          `  ${number(checked.sessions)} sessions, ${number(checked.entries)} entries, ${number(checked.messages)} messages searchable, ` +
            `${number(checked.terms)} terms, ${number(checked.searches)} real searches`,
        )
      : `  ${paint(output, "red", "not checked")}: ${plain(failed)}`,
    ...own.flatMap((finding) => formatFinding(finding, output)),
  ];
}

function formatFinding({ code, severity, count, places, message, mend }: Finding, output: Output): string[] {
  const mark = paint(output, severity === "fault" ? "red" : "yellow", severity);
  const more = count > places.length ? [`    and ${number(count - places.length)} more`] : [];
  return [
    `  ${mark} ${code} (${number(count)}): ${message} ${mend}`,
    ...[...places.map((place) => `    ${plain(place)}`), ...more].map((line) => paint(output, "dim", line)),
  ];
}

function formatRepairs(repairs: readonly Repair[], output: Output): string[] {
  if (repairs.length === 0) return [];
  const line = ({ agentId, what, count }: Repair) =>
    `  ${agentId === undefined ? "" : `${agentId}: `}${plain(what)}: ${number(count)}`;
  return [paint(output, "bold", "Repaired"), ...repairs.map(line)];
}

function verdict({ healthy, agents, findings, repairs }: DoctorReport, output: Output): string {
  const faults = findings.filter(({ severity }) => severity === "fault").length;
  const unchecked = agents.filter(({ failed }) => failed !== undefined).length;
  if (healthy) return paint(output, "green", agents.length === 0 ? "There is no store here yet." : "Healthy.");
  const left = [
    ...(faults > 0 ? [`${number(faults)} kinds of faults${repairs ? " are left" : ""}`] : []),
    ...(unchecked > 0 ? [`${number(unchecked)} stores could not be checked`] : []),
  ].join("; ");
  return paint(
    output,
    "red",
    `Not healthy: ${left}.${faults > 0 && !repairs ? " backscroll doctor --fix repairs." : ""}`,
  );
}
