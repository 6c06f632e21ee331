/** The contract of a bench case, and of what it measured. */
import type { Corpus } from "./corpus.ts";
import type { FilledStore } from "./fill.ts";

export type Unit = "ms" | "ratio" | "MiB" | "bytes a byte";

/** One measured line of the table. */
export interface Figure {
  readonly what: string;
  readonly value: number;
  readonly unit: Unit;
  /** The largest value within budget (SPEC 13); absent for figures without one. */
  readonly budget?: number;
  /** Other raw numbers beside the value, by name. */
  readonly detail?: Readonly<Record<string, number>>;
}

export interface CaseInput {
  /** Messages of the corpus to search in. */
  readonly messages: number;
  readonly seed: number;
  /** Folders with transcripts of other people to import besides the generated ones. */
  readonly files: readonly string[];
  /** Empty folder that the case may write in; removed afterwards. */
  readonly scratch: string;
  /** In the order of {@link BenchCase.stores}. */
  readonly stores: readonly FilledStore[];
}

/**
 * A module below `cases/` exports one as `bench`. `run` is called in a process of its own; it throws when the work that
 * it measures gave a wrong result, since a fast wrong answer is no figure.
 */
export interface BenchCase {
  readonly title: string;
  /** Filled stores that it reads. They are made once and shared between cases, so a case must not write to them. */
  stores?(options: { readonly messages: number; readonly seed: number }): readonly Corpus[];
  run(input: CaseInput): Promise<readonly Figure[]>;
}
