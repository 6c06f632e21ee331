/**
 * The background work of one store in this process: dirty transcripts first, those that somebody waits for before all
 * others, then what deletions left to purge. One run at a time, however many searches ask for it; it goes on after they
 * answered, and stops when the store is closed.
 */
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { BackscrollError } from "../errors.ts";
import { limits } from "../limits.ts";
import { dirtyRange, dirtyTranscripts } from "./dirty.ts";
import type { Database } from "./driver.ts";
import { canPurge, purgeAll, purgeSlice } from "./purge.ts";
import { reconcileTranscript } from "./reconcile.ts";

/** Times that a run finds the store locked before it leaves the rest to the next one. */
const mostRetries = 100;

export class Reconciler {
  readonly #db: Database;
  #wanted: readonly number[] = [];
  #running: Promise<void> | null = null;
  #stopped = false;

  constructor(db: Database) {
    this.#db = db;
  }

  /** Starts a run unless one is going on. What it throws, whoever waits is told. */
  start(wanted: readonly number[] = []): void {
    this.#wanted = wanted;
    if (this.#stopped || this.#db.readOnly) return;
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
    const done = () => wanted.every((transcript) => dirtyRange(this.#db, transcript) === null);
    let ended = false;
    const end = running.finally(() => {
      ended = true;
    });
    end.catch(() => undefined);
    while (!ended && !this.#stopped && now() < until && !done()) await Promise.race([end, setImmediate()]);
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
    const goOn = () => !this.#stopped;
    for (let retries = 0; goOn() && retries < mostRetries; ) {
      try {
        const next = this.#next();
        if (next !== null) await reconcileTranscript(this.#db, next, goOn);
        else if (!canPurge(this.#db) || !purgeSlice(this.#db)) return;
        else await setImmediate();
      } catch (error) {
        if (this.#stopped || this.#db.readOnly) return;
        if (!(error instanceof BackscrollError) || error.code !== "busy") throw error;
        retries += 1;
        await sleep(limits.backgroundRetry.default);
      }
    }
  }

  #next(): number | null {
    const dirty = dirtyTranscripts(this.#db);
    return this.#wanted.find((transcript) => dirty.includes(transcript)) ?? dirty[0] ?? null;
  }
}
