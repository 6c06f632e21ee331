/**
 * Tokens with a vendor's prefix. A row has the rule's name, hints and pattern, what stands before a made-up body in the
 * example that must be masked, and a text that only looks alike.
 */
import { isPlaceholder } from "./placeholder.ts";
import type { Rule } from "./rule.ts";
import { isWordy } from "./shape.ts";

const s36 = "aB3d".repeat(9);

interface Vendor {
  readonly name: string;
  readonly hints: readonly string[];
  readonly pattern: RegExp;
  readonly prefix: string;
  readonly keeps: string;
  /** The prefix begins ordinary names too (`sk-loading-spinner`, `npm_lifecycle`): a body of words is none. */
  readonly ordinary?: true;
}

function vendor({ name, hints, pattern, prefix, keeps, ordinary }: Vendor): Rule {
  return {
    name: `${name}-token`,
    hints,
    pattern,
    secret: "match",
    accept: (text) => !isPlaceholder(text) && !(ordinary && isWordy(text.slice(text.search(/[-_.]/) + 1))),
    examples: { masks: [[`(${prefix}${s36})`, `(${`${prefix}${s36}`.slice(0, 6)}…aB3d)`]], keeps: [keeps] },
  };
}

export const vendorRules: readonly Rule[] = [
  vendor({
    // OpenAI, Anthropic (sk-ant-…), OpenRouter, DeepSeek and others.
    name: "sk",
    hints: ["sk-"],
    pattern: /(?<![A-Za-z0-9])sk-[\w-]{8,}/g,
    prefix: "sk-",
    keeps: "sk-loading-spinner-v2",
    ordinary: true,
  }),
  vendor({
    name: "github",
    hints: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: /(?<![A-Za-z0-9])gh[opsur]_[A-Za-z0-9]{10,}/g,
    prefix: "ghp_",
    keeps: "ghp_xxxxxxxxxxxx",
  }),
  vendor({
    name: "github-fine-grained",
    hints: ["github_pat_"],
    pattern: /(?<![A-Za-z0-9])github_pat_\w{10,}/g,
    prefix: "github_pat_",
    keeps: "github_pat_your_token_here",
  }),
  vendor({
    name: "gitlab",
    hints: ["glpat-"],
    pattern: /(?<![A-Za-z0-9])glpat-[\w-]{10,}(?:\.[\w-]{2,})?(?:\.[\w-]{2,})?/g,
    prefix: "glpat-",
    keeps: "glpat-xxxxxxxxxxxx",
  }),
  vendor({
    name: "slack",
    hints: ["xox"],
    pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,}/g,
    prefix: "xoxb-",
    keeps: "xoxb-your-bot-token",
  }),
  vendor({
    name: "slack-app",
    hints: ["xapp-"],
    pattern: /(?<![A-Za-z0-9])xapp-[A-Za-z0-9-]{10,}/g,
    prefix: "xapp-",
    keeps: "xapp-your-app-token",
  }),
  vendor({
    name: "npm",
    hints: ["npm_"],
    pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{10,}/g,
    prefix: "npm_",
    keeps: "npm_lifecycleevent",
    ordinary: true,
  }),
  vendor({
    name: "pypi",
    hints: ["pypi-"],
    pattern: /(?<![A-Za-z0-9])pypi-[\w-]{10,}/g,
    prefix: "pypi-",
    keeps: "pypi-publish-workflow",
    ordinary: true,
  }),
  vendor({
    name: "google-api",
    hints: ["aiza"],
    pattern: /(?<![A-Za-z0-9])AIza[\w-]{20,}/g,
    prefix: "AIza",
    keeps: `AIza${"x".repeat(35)}`,
  }),
  vendor({
    // A stricter start than the others: the three characters turn up inside base64url.
    name: "hugging-face",
    hints: ["hf_"],
    pattern: /(?<![\w-])hf_[A-Za-z0-9]{10,}/g,
    prefix: "hf_",
    keeps: "hf_transformers",
    ordinary: true,
  }),
  vendor({
    name: "sendgrid",
    hints: ["sg."],
    pattern: /(?<![A-Za-z0-9])SG\.[\w-]{10,}\.[\w-]{10,}/g,
    prefix: `SG.${s36}.`,
    keeps: "SG.Controller_name.Method_name",
    ordinary: true,
  }),
  vendor({
    name: "stripe",
    hints: ["k_live_", "k_test_"],
    pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{10,}/g,
    prefix: "sk_live_",
    keeps: "sk_test_xxxxxxxxxxxx",
  }),
];
