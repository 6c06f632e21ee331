/**
 * Writes transcripts in the shape of Claude Code's, all content invented. The shares of bytes are those measured over
 * 215 real files: tool results 20 % and the same results once more as `toolUseResult` 27 %, envelopes of ids, folders
 * and times 29 %, progress records 11 %, tool calls 6 %, usage figures 3 %, and words that anyone said about 4 %.
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { longTailed, pick, type Random, seeded, whole } from "./random.ts";
import { englishText, toolOutput } from "./vocabulary.ts";

/** What a file was made of. */
export interface ClaudeFile {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
  /** Messages that a person or the model said in words. */
  readonly spoken: number;
}

/** Bytes of made-up tool output that results are cut from. Cutting is fast; a 200 MB file takes seconds. */
const poolBytes = 2 * 1024 * 1024;
const flushFrom = 1024 * 1024;

/** Writes one session of at least that many bytes, ending with a whole turn. */
export function writeClaudeFile(path: string, bytes: number, seed: number): ClaudeFile {
  mkdirSync(dirname(path), { recursive: true });
  const session = new Session(seed);
  const file = openSync(path, "w");
  let written = 0;
  let waiting: string[] = [];
  let waitingBytes = 0;
  const flush = () => {
    written += writeSync(file, waiting.join(""));
    waiting = [];
    waitingBytes = 0;
  };
  try {
    while (written + waitingBytes < bytes) {
      for (const record of session.turn()) {
        const line = `${JSON.stringify(record)}\n`;
        waiting.push(line);
        waitingBytes += line.length;
      }
      if (waitingBytes > flushFrom) flush();
    }
    flush();
  } finally {
    closeSync(file);
  }
  return { path, bytes: written, lines: session.lines, spoken: session.spoken };
}

export function uuid(random: Random): string {
  let text = "";
  for (let i = 0; i < 32; i++) text += whole(random, 16).toString(16);
  return text.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

type Fields = { readonly [key: string]: unknown };

class Session {
  lines = 0;
  spoken = 0;
  readonly #random: Random;
  readonly #pool: string;
  readonly #id: string;
  #parent: string | null = null;
  #time = Date.UTC(2026, 1, 2, 8);
  #calls = 0;

  constructor(seed: number) {
    this.#random = seeded(seed, 3);
    this.#pool = toolOutput(seed, poolBytes);
    this.#id = uuid(this.#random);
  }

  /** A question, the tools used for it, and the answer. */
  *turn(): Generator<Fields> {
    const random = this.#random;
    yield this.#count({
      type: "file-history-snapshot",
      messageId: uuid(random),
      snapshot: { trackedFileBackups: {}, timestamp: this.#iso() },
      isSnapshotUpdate: false,
    });
    this.spoken += 1;
    yield this.#chained("user", {
      message: { role: "user", content: englishText(random, longTailed(random, 95, 1.2, 16_000)) },
    });
    const steps = 1 + whole(random, 14);
    for (let step = 0; step < steps; step++) yield* this.#step();
    yield this.#answer(this.#message(), {
      type: "text",
      text: englishText(random, longTailed(random, 400, 1, 17_000)),
    });
  }

  /** One answer of the model that calls a tool: a line for each of its blocks, progress, and the tool's result. */
  *#step(): Generator<Fields> {
    const random = this.#random;
    const message = this.#message();
    if (random() < 0.1)
      yield this.#answer(message, {
        type: "thinking",
        thinking: englishText(random, longTailed(random, 200, 1.2, 3500)),
        signature: "c2lnbmF0dXJl".repeat(24),
      });
    if (random() < 0.45)
      yield this.#answer(message, { type: "text", text: englishText(random, longTailed(random, 100, 1, 3000)) });
    this.#calls += 1;
    const id = `toolu_${String(this.#calls).padStart(24, "0")}`;
    const name = pick(random, ["Bash", "Read", "Edit", "Grep"]);
    const input = { command: this.#cut(longTailed(random, 130, 1.5, 20_000)), description: englishText(random, 40) };
    yield this.#answer(message, { type: "tool_use", id, name, input });
    for (let i = whole(random, 5); i > 0; i--) {
      yield this.#chained("progress", {
        data: {
          type: "bash_progress",
          output: this.#cut(200),
          fullOutput: this.#cut(160),
          elapsedTimeSeconds: i,
          totalLines: whole(random, 90),
        },
        toolUseID: `bash-progress-${i}`,
        parentToolUseID: id,
      });
    }
    const output = this.#cut(longTailed(random, 330, 2, 33_000));
    yield this.#chained("user", {
      message: { role: "user", content: [{ tool_use_id: id, type: "tool_result", content: output, is_error: false }] },
      toolUseResult: {
        stdout: output,
        stderr: "",
        interrupted: false,
        isImage: false,
        structuredPatch: this.#cut(output.length / 4),
      },
    });
  }

  #message() {
    return {
      id: `msg_${uuid(this.#random).replaceAll("-", "").slice(0, 24)}`,
      request: `req_${uuid(this.#random).slice(0, 23)}`,
    };
  }

  #answer({ id, request }: { id: string; request: string }, block: Fields): Fields {
    if (block.type === "text") this.spoken += 1;
    const usage = {
      input_tokens: whole(this.#random, 9),
      cache_creation_input_tokens: whole(this.#random, 9000),
      cache_read_input_tokens: whole(this.#random, 90_000),
      cache_creation: { ephemeral_5m_input_tokens: whole(this.#random, 9000), ephemeral_1h_input_tokens: 0 },
      output_tokens: whole(this.#random, 900),
      service_tier: "standard",
    };
    const message = {
      model: "made-up-model-1",
      id,
      type: "message",
      role: "assistant",
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage,
    };
    return this.#chained("assistant", { message, requestId: request });
  }

  /** A record with the envelope of those that stand in the chain of parents. */
  #chained(type: string, rest: Fields): Fields {
    const id = uuid(this.#random);
    const record = {
      parentUuid: this.#parent,
      isSidechain: false,
      userType: "external",
      cwd: "/home/ines/src/harbour-clock",
      sessionId: this.#id,
      version: "2.1.40",
      gitBranch: "main",
      slug: "drifting-amber-lantern",
      type,
      ...rest,
      uuid: id,
      timestamp: this.#iso(),
    };
    this.#parent = id;
    return this.#count(record);
  }

  #count(record: Fields): Fields {
    this.lines += 1;
    return record;
  }

  #iso(): string {
    this.#time += 200 + whole(this.#random, 4000);
    return new Date(this.#time).toISOString();
  }

  #cut(length: number): string {
    const from = whole(this.#random, this.#pool.length - length);
    return this.#pool.slice(from, from + length);
  }
}
