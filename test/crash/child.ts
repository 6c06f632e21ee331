/** Starts a writer, hears what it acknowledges, and kills it. */
import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "./step.ts";

export interface WriterOptions {
  readonly home: string;
  readonly steps: readonly Step[];
  /** File that the steps are handed over in. */
  readonly stepsFile: string;
  /** Changes of more entries than this are left to reconciliation. */
  readonly inlineEntries: number;
  /** Shell command to put in front: a limit on files. */
  readonly shell?: string;
}

const program = join(import.meta.dirname, "writer.ts");
const marks = ["opening", "open", "wait", "end"] as const;
type Mark = (typeof marks)[number];

export class Writer {
  readonly process: ChildProcess;
  /** What each operation came to, as JSON, in order. */
  readonly acknowledged: string[] = [];
  /** The process is gone and all that it said is heard. */
  readonly closed: Promise<void>;
  readonly #reached: Record<Mark, PromiseWithResolvers<void>>;
  #said = "";
  #stderr = "";

  constructor(options: WriterOptions) {
    writeFileSync(options.stepsFile, JSON.stringify(options.steps));
    const { home, stepsFile, inlineEntries, shell } = options;
    const args = [program, home, stepsFile, `${inlineEntries}`];
    this.process =
      shell === undefined
        ? spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] })
        : spawn("sh", ["-c", `${shell} && exec "$@"`, "sh", process.execPath, ...args], {
            stdio: ["pipe", "pipe", "pipe"],
          });
    this.#reached = {
      opening: Promise.withResolvers(),
      open: Promise.withResolvers(),
      wait: Promise.withResolvers(),
      end: Promise.withResolvers(),
    };
    this.process.stdout?.on("data", (chunk) => this.#hear(String(chunk)));
    this.process.stderr?.on("data", (chunk) => {
      this.#stderr += chunk;
    });
    this.closed = new Promise((done) => this.process.on("close", () => done()));
  }

  /** @throws when the writer stops of itself, with what it said last. */
  async until(mark: Mark): Promise<void> {
    await Promise.race([this.#reached[mark].promise, this.closed]);
    if (this.#stderr !== "") throw new Error(`the writer stopped: ${this.#stderr}`);
  }

  /** Ends a `wait` step. */
  goOn(): void {
    this.process.stdin?.write("\n");
  }

  /** @throws as {@link until}. */
  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.closed;
    if (this.#stderr !== "") throw new Error(`the writer stopped: ${this.#stderr}`);
  }

  #hear(chunk: string): void {
    const lines = (this.#said + chunk).split("\n");
    this.#said = lines.pop() ?? "";
    for (const line of lines) {
      const mark = marks.find((each) => each === line);
      if (mark) this.#reached[mark].resolve();
      else this.acknowledged.push(line);
    }
  }
}
