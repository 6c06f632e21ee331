/**
 * The background work of one store in this process: dirty transcripts first, those that somebody waits for before all
 * others, then what deletions left to purge. One run at a time, however many searches ask for it; it goes on after they
 * answered, and stops when the store is closed.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { dirtyRange, someDirty } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { canPurge, purgeAll, purgeSlice, tidyIfDue } from "./purge.ts";
import { reconcileShort, reconcileTranscript } from "./reconcile.ts";

/** Times that a run finds the store locked before it leaves the rest to the next one. */
const mostRetries = 100;

/** Transcripts that one transaction may take, if they are short. */
const batch = 256;

/** Milliseconds between two looks of somebody who waits. */
const look = 1;

export class Reconciler {
  readonly #db: Database;
  /** Transcripts that somebody waits for; those before `#next` are done with. */
  #wanted: readonly number[] = [];
  #next = 0;
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Starts a run unless one is going on. What it throws, whoever waits is told. */
  start(wanted: readonly number[] = []): void {
    if (this.#stopped || this.#db.readOnly) return;
    if (wanted.length > 0) {
      this.#wanted = wanted;
      this.#next = 0;
    }
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
    });
    // Nobody may be waiting: then an error is found again by the next who reads.
    this.#running.catch(() => undefined);
  }

  /**
   * Waits for transcripts to be clean, as long as that takes and time allows.
   * @param until Epoch ms by `now`.
   */
  async settle(wanted: readonly number[], until: number, now: () => number): Promise<void> {
    this.start(wanted);
    const running = this.#running;
    if (running === null) return;
    let clean = 0;
    const isDone = () => {
      while (clean < wanted.length && dirtyRange(this.#db, wanted[clean] ?? 0) === null) clean += 1;
      return clean === wanted.length;
    };
    let ended = false;
    const end = running.finally(() => {
      ended = true;
    });
    end.catch(() => undefined);
    while (!ended && !this.#stopped && now() < until && !isDone()) await Promise.race([end, sleep(look)]);
    if (ended) await running;
  }

  /** Waits until there is nothing left to do, a large file's rewrite included, or the store is locked for long. */
  async finish(): Promise<void> {
    this.start();
    await this.#running;
    if (!this.#stopped) purgeAll(this.#db);
  }

  /** No further slice begins. */
  stop(): void {
    this.#stopped = true;
  }

  async #run(): Promise<void> {
    for (let retries = 0; !this.#stopped && retries < mostRetries; ) {
      try {
        if (!(await this.#step())) return;
        await setImmediate();
      } catch (error) {
        if (this.#stopped || this.#db.readOnly) return;
        if (!(error instanceof BackscrollError)) throw error;
        // A full disk: reads answer with what is right so far, and the next one tries again.
        if (error.code === "io") return;
        if (error.code !== "busy") throw error;
        retries += 1;
        await sleep(limits.backgroundRetry.default);
      }
    }
  }

  /** Returns whether there may be more to do. */
  async #step(): Promise<boolean> {
    const wanted = this.#wanted.slice(this.#next, this.#next + batch);
    const transcripts = wanted.length > 0 ? wanted : someDirty(this.#db, batch);
    const [first] = transcripts;
    if (first === undefined) {
      if (canPurge(this.#db)) return purgeSlice(this.#db);
      tidyIfDue(this.#db);
      return canPurge(this.#db);
    }
    let done = reconcileShort(this.#db, transcripts);
    if (done === 0) {
      await reconcileTranscript(this.#db, first, () => !this.#stopped);
      done = 1;
    }
    if (wanted.length > 0 && this.#wanted.slice(this.#next, this.#next + 1)[0] === first) this.#next += done;
    return true;
  }
}
