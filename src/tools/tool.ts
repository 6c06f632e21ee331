/** What a tool is: an operation offered to a model, a person or a program, the same in every interface. */
import * as z from "zod";
import { BackscrollError } from "../errors.ts";
import { type LimitName, limits } from "../limits.ts";
import type { Caller } from "../model/caller.ts";
import { parseAgentId } from "../model/ids.ts";
import type { Home } from "../store/home.ts";

export interface ToolContext {
  readonly home: Home;
  readonly caller: Caller;
  /** Epoch ms. */
  readonly now: () => number;
  /** IANA name; a function, as asking the system takes 10 ms and only dates need it. Dates in filters are meant in it. */
  readonly timeZone: () => string;
}

export interface Tool<Input, Answer> {
  readonly name: string;
  /** What it does and when to use it, for a model. */
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** @throws {BackscrollError} */
  run(input: Input, context: ToolContext): Promise<Answer>;
}

/**
 * Checks raw input against a tool's schema.
 * @throws {BackscrollError} `bad_input`, naming the parameter, the value and what it may be.
 */
export function parseInput<Input>(tool: Pick<Tool<Input, unknown>, "name" | "input">, raw: unknown): Input {
  const result = tool.input.safeParse(raw, { reportInput: true });
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw new BackscrollError(
    "bad_input",
    `${tool.name}: ${path === "" ? "" : `${path}: `}${issue?.message ?? "not valid"}${path === "" ? "" : ` (got ${show(issue?.input)})`}`,
    `Correct ${path === "" ? "the parameters" : path} and call again.`,
  );
}

function show(value: unknown): string {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > 60 ? `${json.slice(0, 57).toWellFormed()}…` : json;
}

/** A whole number within a limit of the table. */
export function within(name: LimitName): z.ZodType<number> {
  const { min, max, unit } = limits[name];
  const message = `use a whole number of ${unit} from ${min} to ${max}`;
  return z.number(message).int(message).min(min, message).max(max, message);
}

/** An agent id. */
export function agentName(): z.ZodType<string> {
  return words(64).refine((text) => parseAgentId(text) !== null, "use 1 to 64 characters of a-z, 0-9, _ and -");
}

/** A text parameter that is not blank. */
export function words(longest = 1024): z.ZodType<string> {
  return z
    .string("use a text")
    .max(longest, `use at most ${longest} characters`)
    .refine((text) => text.trim() !== "", "must not be blank");
}
