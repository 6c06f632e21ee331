/**
 * pi (pi-coding-agent) and its forks: one JSONL file a session, version 1 linear, 2 and 3 a tree. The program rewrites old
 * files to version 3 in place when it loads them. Abandoned branches stay in the file; its last entry is the leaf.
 */
import { type AgentId, sessionKeyOf, toAgentId, toSourceId } from "../../model/ids.ts";
import type { Part } from "../../model/transcript.ts";
import { word } from "../fields.ts";
import { readJsonl } from "../jsonl.ts";
import { cut, plain, type Span } from "../pi-records/content.ts";
import { isSessionHead } from "../pi-records/head.ts";
import { type PiDialect, piFormat } from "../pi-records/record.ts";
import type { Machine, Source } from "../source.ts";

const agentId: AgentId = toAgentId("pi");

const dialect: PiDialect = {
  agentOf: () => agentId,
  idInName,
  describe(header) {
    // Version 1 called it branchedFrom.
    const parent = word(header.parentSession) ?? word(header.branchedFrom);
    return {
      kind: "direct",
      ...(parent === undefined ? {} : { forkedFrom: sessionKeyOf(agentId, idInName(parent)) }),
    };
  },
  userParts: typedParts,
  assistantParts: plain,
  strangers: "tree",
};

const format = piFormat(dialect);

export const pi: Source = {
  id: toSourceId("pi"),
  name: "pi",
  places: ({ home, env }: Machine) => [
    ...(env.PI_CODING_AGENT_SESSION_DIR ? [env.PI_CODING_AGENT_SESSION_DIR] : []),
    ...(env.PI_CODING_AGENT_DIR ? [`${env.PI_CODING_AGENT_DIR}/sessions`] : []),
    `${home}/.pi/agent/sessions`,
    `${home}/.omp/agent/sessions`,
  ],
  recognise: (file, head) =>
    file.path.endsWith(".jsonl") && isSessionHead(head) ? { as: "transcript", appendOnly: true } : null,
  read: (file, from) => readJsonl(file, from, format),
};

/** `<ISO time with dashes>_<id>.jsonl`; a file named otherwise is its own id. */
function idInName(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1).replace(/\.jsonl$/, "");
  return /^\d{4}-\d\d-\d\dT[\d-]+Z_(.+)$/s.exec(name)?.[1] ?? name;
}

/** What stands before the words of a user: files named on the command line, and the skill that a command unfolds to. */
const openings = [
  { opens: '<file name="', closes: "</file>" },
  { opens: '<skill name="', closes: "</skill>" },
];

function typedParts(words: string): readonly Part[] {
  const spans: Span[] = [];
  let at = 0;
  for (;;) {
    while (at < words.length && words.charCodeAt(at) <= 0x20) at += 1;
    const opening = openings.find(({ opens }) => words.startsWith(opens, at));
    const to = opening ? endOf(words, at, opening.closes) : -1;
    if (to < 0) return spans.length === 0 ? plain(words) : cut(words, spans);
    spans.push({ from: at, to });
    at = to;
  }
}

/** A tag closes on the line that it opens in, or at the start of a later one: a file may hold the tag in its text. */
function endOf(words: string, from: number, closes: string): number {
  const line = words.indexOf("\n", from);
  const inLine = words.slice(from, line < 0 ? words.length : line).indexOf(closes);
  const close = inLine < 0 ? words.indexOf(`\n${closes}`, from) + 1 : from + inLine;
  return close <= 0 ? -1 : close + closes.length;
}
