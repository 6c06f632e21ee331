/**
 * The table of redaction rules (SPEC 5.4). A row says what gives a secret away, how to notice cheaply that a text has none
 * (hints), and shows what must and what must not be masked. The secrets in the examples are made by repetition: they have
 * the shape, and no one takes them for real.
 */
import { namedRules } from "./named-rules.ts";
import type { Rule } from "./rule.ts";
import { shapeRules } from "./shape-rules.ts";
import { vendorRules } from "./vendor-rules.ts";

/** Order does not matter: all rules read the same text. */
export const builtInRules: readonly Rule[] = [...namedRules, ...shapeRules, ...vendorRules];
