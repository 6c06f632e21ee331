/**
 * What stands where a secret would, without being one: something to be filled in, a secret cut short by someone, or the
 * place where the secret is kept. All of this runs on every value found beside a name, so a look at a character or two
 * goes before each pattern.
 */
import { isMask } from "./mask.ts";
import { isWordy } from "./shape.ts";

/** Where text is put in from elsewhere: `${…}`, `{{ … }}`, `$(…)`, `#{…}`. A value ends there. */
export const templateMarker = /\$\{|\{\{|\$\(|#\{/g;

/** Characters that stand for "something" in a row: xxxx, ****, …, also behind a token's prefix. */
const filler = /^(?:(?:[A-Za-z0-9]{1,12}[-_]){0,3}|AKIA|ASIA|AIza|eyJ|SG\.)[xX*•.…_?#-]+$/;
const fillers = "xX*•.…_?#-";
/** `abc…`, `...wxyz`: too little is shown to be worth anything. */
const elided = /^.{0,4}(?:…|\.{3,}).{0,4}$/su;
const bracketed = /^(?:<.*>|\[.*\]|\{.*\}|%\w+%)$/s;
const request =
  /(?:^|[^a-z])your|change[-_ ]?(?:me|this|it)|placeholder|redacted|replace[-_ ]?(?:me|this|with)|[-_ ]here$/i;

/** Something to be filled in, or a secret that has been cut short already. */
export function isPlaceholder(text: string): boolean {
  return (
    isMask(text) ||
    (fillers.includes(text.charAt(text.length - 1)) && filler.test(text)) ||
    ((text.includes("…") || text.includes("...")) && elided.test(text)) ||
    (">]}%".includes(text.charAt(text.length - 1)) && bracketed.test(text)) ||
    (request.test(text) && isWordy(text))
  );
}

const reference = /^(?:\$[{(]|\{\{|#\{|%[({]|\$(?:env:)?(?:[A-Za-z_]+|[A-Z_][A-Z0-9_]*|\d)$)/;
const store = /^(?:op|vault|keyring|keychain|env|ssm|arn|ref\+[a-z]+):/i;

/** Where the secret is kept, in place of the secret: `$NAME`, `${…}`, `{{ … }}`, `$(…)`, `op://…`. */
export function isReference(text: string): boolean {
  return ("${#%".includes(text.charAt(0)) && reference.test(text)) || (text.includes(":") && store.test(text));
}

const url = /^[a-z][a-z0-9+.-]{1,20}:\/\//i;
const path = /^(?:~|\.{1,2}|[A-Za-z]:)?[/\\][\w.@/\\-]*$/;
const relative = /^[~.]/;

/** A path or a URL. Credentials inside a URL have their own rule. */
export function isAddress(text: string): boolean {
  if (!text.includes("/") && !text.includes("\\")) return false;
  return url.test(text) || (path.test(text) && (relative.test(text) || isWordy(text)));
}

const number = /^(?:\d+\.[\d.]+|0x[0-9a-f]{1,8})$/i;

/** A version, a network address, an object identifier, a constant of a program. */
export function isNumber(text: string): boolean {
  return text.charCodeAt(0) <= 0x39 && number.test(text);
}
