/**
 * What a redaction rule is. Rules are data: the engine (redact.ts) knows none of them by name, so a user's rule is the
 * same thing as a built-in one.
 *
 * Time: no pattern repeats without bound what itself repeats without bound (a test looks); an unbounded run is entered
 * once, because a look-behind keeps it from being entered again or because the match takes all of it; what is read behind
 * a name is read by value.ts, which keeps the places it has found. So each rule is linear in the text (SPEC 5.4);
 * `node bench/redaction.ts` prints what that comes to.
 */

/** Half-open, in UTF-16 units: `text.slice(start, end)`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * A secret in a text. `pem`: the body of a PEM block, whose mask is a lone `…` between the two lines. `mask`: a mask from
 * an earlier reading, which stays as it is.
 */
export interface Finding extends Range {
  readonly kind?: "pem" | "mask";
}

/**
 * How much a name promises that a secret follows; decides which values are believed (judge.ts).
 * - `password`: any value but a placeholder or a reference; a plain word only where nothing else follows.
 * - `secret`: as `password`, but a bare plain word after a colon is taken for prose.
 * - `weak`: only a value that no one would write as a word (`token`, `…_KEY`: words of parsers and caches too).
 */
export type Strength = "password" | "secret" | "weak";

interface RuleBase {
  /** Unique, kebab-case; shown to users when a rule is refused. */
  readonly name: string;
  /** Lower-case literals. A text whose lower-cased form holds none of them can't match. Empty: always tried. */
  readonly hints: readonly string[];
  /** Must have the flag `g`. */
  readonly pattern: RegExp;
  /** Shown in the docs and run by the tests: `masks` pairs a text with its masked form, `keeps` must stay as they are. */
  readonly examples: {
    readonly masks: readonly (readonly [text: string, masked: string])[];
    readonly keeps: readonly string[];
  };
}

export type Rule = RuleBase &
  (
    | {
        /** The match ends with the secret: its last capture group, or all of it when there is none. */
        readonly secret: "match";
        /** Second look at what matched, in time linear in its length. */
        readonly accept?: (secret: string) => boolean;
      }
    | {
        /** The match is a name and its separator; the value that follows is read by value.ts. */
        readonly secret: "value";
        readonly strength: Strength;
      }
    /** The match is the BEGIN line; the secret is what follows up to the END line. */
    | { readonly secret: "pem" }
  );
