/** Reads a home's `config.json`. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BackscrollError, toIoError } from "../errors.ts";
import { type Config, configSchema } from "./config.ts";

const fileName = "config.json";
/** Problems of one file that are named. */
const mostNamed = 10;

export function configFile(home: string): string {
  return join(home, fileName);
}

/** Nothing set where there is no such file. @throws {BackscrollError} `bad_config`, naming each setting that is wrong; `io`. */
export function readConfig(home: string): Config {
  const path = configFile(home);
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw toIoError(error, path);
  }
  return parseConfig(text, path);
}

/** @param path Named in errors. @throws {BackscrollError} `bad_config`. */
export function parseConfig(text: string, path: string): Config {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (error) {
    throw refused(path, [error instanceof Error ? error.message : "not JSON"], error);
  }
  const result = configSchema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw refused(
    path,
    result.error.issues.map(({ path: at, message }) => (at.length === 0 ? message : `${at.join(".")}: ${message}`)),
  );
}

function refused(path: string, problems: readonly string[], cause?: unknown): BackscrollError {
  const more = problems.length - mostNamed;
  const named = `${problems.slice(0, mostNamed).join("; ")}${more > 0 ? `; and ${more} more` : ""}`;
  return new BackscrollError(
    "bad_config",
    `${path}: ${named}`,
    "Correct the file; backscroll config check says when it is right.",
    {
      cause,
    },
  );
}
