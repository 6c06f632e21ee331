/** A row of a case file, and the case it holds once everything in it is known to be supported. */
import * as z from "zod";
import { type Call, parseCall } from "./call.ts";
import { type Expectation, parseExpectations } from "./expectation.ts";
import { features } from "./features.ts";
import { NotRun, parsePiece } from "./not-run.ts";
import { parseSteps, type Step } from "./step.ts";

/** From what follows from the specification or plain sense, over what is better than most, to what is optional. */
export const levels = ["must", "should", "stretch"] as const;
export type Level = (typeof levels)[number];

const rowForm = z.looseObject({ id: z.string().min(1), kind: z.string().min(1), level: z.enum(levels) });
export type Row = z.infer<typeof rowForm>;

const caseForm = z.strictObject({
  id: z.string(),
  kind: z.string(),
  level: z.string(),
  needs: z.array(z.string()).default([]),
  /** Where the fault was reported. */
  source: z.string().optional(),
  setup: z.array(z.unknown()).default([]),
  action: z.unknown(),
  expect: z.record(z.string(), z.unknown()),
});

/** Something done, with what has to be true of it. */
export type Move =
  | { readonly call: Call; readonly expectations: readonly Expectation[] }
  | { readonly steps: readonly Step[] };

export interface Case {
  readonly setup: readonly Step[];
  readonly moves: readonly Move[];
  /** Whether all refusals have to look alike. */
  readonly sameShape: boolean;
}

/** @throws {SyntaxError} for a line that is no case at all, or an id that is there twice: the file has to be mended. */
export function readRows(text: string): Row[] {
  const rows: Row[] = [];
  text
    .replace(/^\uFEFF/, "")
    .split("\n")
    .forEach((line, at) => {
      if (line.trim() === "") return;
      const row = rowForm.safeParse(parseJson(line, at + 1));
      if (!row.success)
        throw new SyntaxError(
          `line ${at + 1} is no case: ${row.error.issues[0]?.path.join(".")}: ${row.error.issues[0]?.message}`,
        );
      if (rows.some(({ id }) => id === row.data.id))
        throw new SyntaxError(`line ${at + 1}: the id ${row.data.id} is there twice`);
      rows.push(row.data);
    });
  return rows;
}

function parseJson(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw new SyntaxError(`line ${number} is not JSON: ${error instanceof Error ? error.message : error}`);
  }
}

/** @throws {NotRun} naming what is not supported, before anything has been done. */
export function toCase(row: Row): Case {
  const { needs, setup, action, expect } = parsePiece(caseForm, row, "case");
  const missing = needs.filter((need) => !features.includes(need));
  if (missing.length > 0) throw new NotRun(`needs ${missing.join(", ")}`);
  return { setup: setup.flatMap((step, at) => parseSteps(step, `setup[${at}]`)), ...parseAction(action, expect) };
}

const sequenceForm = z.strictObject({
  tool: z.literal("sequence"),
  args: z.strictObject({ steps: z.array(z.looseObject({})).min(1) }),
});
const sequenceExpectForm = z.strictObject({
  steps: z.array(z.record(z.string(), z.unknown())),
  sameShape: z.literal(true).optional(),
});

function parseAction(action: unknown, expect: Record<string, unknown>): Pick<Case, "moves" | "sameShape"> {
  if (typeof action !== "object" || action === null || !("tool" in action) || action.tool !== "sequence") {
    return { moves: [parseMove(action, expect, "action", "expect")], sameShape: false };
  }
  const { steps } = parsePiece(sequenceForm, action, "action").args;
  const wanted = parsePiece(sequenceExpectForm, expect, "expect");
  if (wanted.steps.length !== steps.length)
    throw new NotRun(`expect.steps: ${wanted.steps.length} for ${steps.length} steps`);
  const moves = steps.map((step, at) => {
    const here = wanted.steps[at] ?? {};
    if (!("op" in step)) return parseMove(step, here, `action.steps[${at}]`, `expect.steps[${at}]`);
    if (Object.keys(here).length > 0) throw new NotRun(`expect.steps[${at}]: nothing can be expected of a step`);
    return { steps: parseSteps(step, `action.steps[${at}]`) };
  });
  return { moves, sameShape: wanted.sameShape ?? false };
}

function parseMove(action: unknown, expect: Record<string, unknown>, where: string, expected: string): Move {
  const call = parseCall(action, where);
  const tool = call.tool === "search_each" ? "search" : call.tool;
  const expectations = parseExpectations(expect, tool, expected);
  if (expectations.length === 0) throw new NotRun(`${expected}: expects nothing`);
  return { call, expectations };
}
