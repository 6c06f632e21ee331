/**
 * Is the value beside a secret name a secret? Source code, prose and documentation put the same names before types,
 * calls, variables and placeholders; those must survive (SPEC 5.6). Every test looks at the first characters only, so
 * the cost of a value does not grow with its length.
 */
import { isMask } from "./mask.ts";
import { isAddress, isNumber, isPlaceholder, isReference } from "./placeholder.ts";
import type { Range, Strength } from "./rule.ts";
import { isWordy, shapeOf } from "./shape.ts";

/** A value as it stands beside its name. */
export interface Candidate {
  readonly source: string;
  /** Where the secret word of the name stands: `Token` of `accessToken`, without what stands before it. */
  readonly name: Range;
  /** Where the value stands. */
  readonly value: Range;
  /** `string` in quotes; `code` in backticks, which hold data as often as an expression; `bare` in neither. */
  readonly form: "string" | "code" | "bare";
  /** `name=value`, without spaces: how shells, URLs and connection strings write data; code and prose seldom do. */
  readonly tight: boolean;
  /** Tight after an upper-case name: an environment file or a command line, where a value is text, never an expression. */
  readonly environment: boolean;
}

/** Characters of a value that are looked at. A longer value is judged by its beginning. */
const window = 64;
const restWindow = 40;
const nameWindow = 40;

/** Words that names of secrets, and of the variables that hold them, are made of. A value of nothing else is such a name. */
const nameWords = wordSet(
  "access account api app apikey arg args auth authorization bearer bot client config confirm confirmation credential credentials",
  "current data database db encrypted env field hash hashed hidden id input jwt key keys label my name new old options opts",
  "params pass passcode passphrase passwd password passwords plain private props public pwd raw refresh secret secrets self",
  "service session settings signing state str the this token tokens user username val value your",
);

/** What stands after a secret name in types, schemas and manuals. */
const ordinaryWords = wordSet(
  "any array bool boolean buffer byte bytes char chars double float int integer json list long map never null nil none number",
  "object optional option short string text true false undefined unknown uint uuid varchar void",
  "argument disabled empty enabled enter expired flag forbidden header incorrect invalid missing omit include parameter",
  "protected provided redacted removed required rotated unset unchanged valid variable wrong yes",
  "async await function if lambda new not return static typeof yield",
  "and are as at be by for from in into is of on or so that to was when where which with",
);

export function isSecret(value: Candidate, strength: Strength): boolean {
  const text = textOf(value);
  if (text.length < (strength === "weak" ? 8 : 3)) return false;
  const { plain, wordy, hasSpace, hasLetter, digits } = shapeOf(text);
  // A PEM block has its own rule, which keeps its first and last line.
  if ((!hasLetter && digits === 0) || isMask(text) || text.startsWith("-----BEGIN ")) return false;
  if (hasSpace) return value.form !== "bare" && strength !== "weak" && isPassphrase(text);
  if (wordy && strength === "weak") return false;
  if (plain && !isPlainSecret(value, text, strength)) return false;
  if (isPlaceholder(text) || isReference(text) || isAddress(text) || isNumber(text)) return false;
  // sk-ant-...: the reader leaves the dots outside.
  const {
    source,
    value: { end },
  } = value;
  if (text.length <= 12 && (source.startsWith("…", end) || source.startsWith("...", end))) return false;
  if (value.form !== "string" && isExpression(value, text, plain)) return false;
  if (plain || strength === "weak" || value.environment) return true;
  if (value.form !== "bare" || value.tight) return strength === "password" || text.length >= 6;
  // password: 8-12 characters
  return text.length >= (strength === "password" ? 4 : 6) && (hasLetter || digits >= 4);
}

const latin = /[A-Za-z]/;
const nothing = /^[\s"'`]*$/;
const identifier = /_|[a-z][A-Z]/;

/** A plain word: `password=swordfish` is data, `login(password=pw)` is code, `token: a word in a grammar` is prose. */
function isPlainSecret(value: Candidate, text: string, strength: Strength): boolean {
  const least = value.environment || (strength === "password" && (value.tight || value.form !== "bare")) ? 4 : 6;
  if (text.length < least) return false;
  // A word in another script, in quotes, is the label of a translated form.
  if (!latin.test(text) && !value.tight) return false;
  if (value.form === "bare" && !value.environment) {
    const next = value.source.charAt(value.value.end);
    if (value.tight && next !== "" && "),.]}".includes(next)) return false;
    if (!value.tight && (strength !== "password" || identifier.test(text) || !nothing.test(restOf(value))))
      return false;
  }
  // config.apiKey ends with a name; so do apiKey and API_KEY, which are nothing else.
  const last = text.slice(text.lastIndexOf(".") + 1);
  return !isNameOfSecret(last) && !ordinaryWords.has(text.toLowerCase()) && !spellsName(value, text);
}

const call = /^[A-Za-z_$][\w$.:>?!-]*[([]/;
/** `Tr0ub(4dor` may be a password. */
const tightCall = /^[A-Za-z_$](?:[A-Za-z_$.:>?!-]*|[\w$]*\.[\w$.]*)[([]/;
/** An operator, a regular expression, the next flag. */
const noOperand = /^(?:[&|+=!:]|\/[\^(\\[]|--?[a-z])/;
/** config.s3.secret, self::TOKEN */
const member = /^[A-Za-z_$][\w$]*(?:\?\.|\.|::)[\w$.:?!-]+$/;
/** string|null, a||b */
const union = /^[A-Za-z_$]+[|&?][A-Za-z_$|&?]*$/;
/** $this->token: the reader stops at `>`, as it does at `<` in Option<String>. */
const arrow = /^\$?\w+-$/;

/** Code: a bracket, a call, an index, a member, a pattern, a union of types. */
function isExpression(value: Candidate, text: string, plain: boolean): boolean {
  const first = text.charAt(0);
  if (first === "(" || first === "[" || first === "{") return true;
  if ((text.includes("(") || text.includes("[")) && (value.tight ? tightCall : call).test(text)) return true;
  if (value.environment) return false;
  if (noOperand.test(text)) return true;
  if ((text.includes(".") || text.includes(":")) && member.test(text) && isWordy(text)) return true;
  if ((text.includes("|") || text.includes("&") || text.includes("?")) && union.test(text)) return true;
  if (text.endsWith("!") && isNameOfSecret(text)) return true;
  const next = value.source.charAt(value.value.end);
  return (next === ">" && arrow.test(text)) || (plain && (next === "<" || next === "(" || next === "["));
}

/** `CLIENT_AUTH = "clientAuth"`: a constant that is named like its value. */
function spellsName({ source, name }: Candidate, text: string): boolean {
  const letters = (part: string): string => part.replace(/[^\p{L}\p{N}]+/gu, "").toLowerCase();
  return letters(source.slice(Math.max(0, name.start - nameWindow), name.end)).endsWith(letters(text));
}

const camelCase = /(?<=[a-z])(?=[A-Z])|[^\p{L}]+/u;

function isNameOfSecret(text: string): boolean {
  const words = text.split(camelCase).map((word) => word.toLowerCase());
  return words.every((word) => word === "" || nameWords.has(word));
}

const mixed = /\p{L}\d|\d\p{L}/u;

/** With spaces a value is prose, unless it is short and one of its words mixes letters and digits: `plum 77x`. */
function isPassphrase(text: string): boolean {
  const words = text.split(/[ \t]+/);
  return words.length <= 5 && words.some((word) => mixed.test(word));
}

/** The value's beginning. A value over several lines is read without the breaks. */
function textOf({ source, value }: Candidate): string {
  const text = source.slice(value.start, Math.min(value.end, value.start + window));
  return text.includes("\n") ? text.replace(/\\?\r?\n[ \t]*/g, "") : text;
}

const lineEnd = /[\r\n]/;

/** The beginning of what follows the value on its line. */
function restOf({ source, value }: Candidate): string {
  const text = source.slice(value.end, value.end + restWindow);
  const line = text.search(lineEnd);
  return line < 0 ? text : text.slice(0, line);
}

function wordSet(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(" ")));
}
