/**
 * Secrets known by the name beside them: assignments, JSON fields, query parameters, flags, headers, URLs. Most patterns
 * match the name and its separator only; the value that follows is read by value.ts.
 */
import { isPlaceholder, isReference } from "./placeholder.ts";
import type { Rule } from "./rule.ts";
import { isWordy, shapeOf } from "./shape.ts";

const quote = String.raw`(?:\\{0,7}["'${"`"}]|%2[27])`;
/**
 * `: Type =`, as in `secret: str = "…"`: letters only, `A | B` or `&'static str` at most, and then a string. Anything
 * looser would take `password: plum77 user="mira"` for one.
 */
const typed = String.raw`:[ \t]{0,4}[&A-Za-z_][A-Za-z_&'<>|[\].]{0,40}(?:[ \t]?\|[ \t]?[A-Za-z_.]{1,20}|[ \t]str)?[ \t]{0,4}=[ \t]{0,4}(?=[bfru]?["'${"`"}])`;
/** Comparisons and arrows are code unless a string follows. */
const compared = String.raw`(?:=>|={2,3})[ \t]{0,4}(?=["'${"`"}])`;
/** What stands between a name and its value: a number, a closing quote or bracket, emphasis, and the separator. */
const separator = String.raw`(?:[-_]?\d{1,2})?(?![\w-])${quote}?\]?\*{0,2}[ \t]*(?:${typed}|${compared}|:=|=(?![=>])|:(?![:=]|//)|[：＝]|%3[aAdD])(?:\*\*(?=[ \t]))?`;

function named(names: string, flags = "gi"): RegExp {
  return new RegExp(`(${names})${separator}`, flags);
}

/** Tokens of paging, of language models and of parsers. */
const plainTokens =
  "next|page|paging|pagination|continuation|continue|sync|cancel|cancellation|eos|bos|pad|unk|sep|cls|mask|stop|special|start|end|first|last|prev|previous|current|max|min|per|sub|word|image|design|input|output|time";

/** Between a header's name and its value, with the opening quote. `headers.set("Authorization", "…")` has a comma. */
const header = String.raw`(?:${quote}[ \t]*,|${quote}?\]?\*{0,2}[ \t]*(?:=>|[:=]|%3[aA])(?:\*\*(?=[ \t]))?)[ \t]*[bfru]?(?:\\{0,7}(?<open>["'${"`"}])|%2[27])?`;

/** A value with blanks holds more than a template or a placeholder, whatever it starts with. */
const isCookieValue = (value: string): boolean =>
  value.length > 2 && !shapeOf(value).plain && (/\s/.test(value) || !(isPlaceholder(value) || isReference(value)));

const s36 = "aB3d".repeat(9);
const hex = "3f9a".repeat(10);

export const namedRules: readonly Rule[] = [
  {
    name: "password",
    hints: ["passw", "passphrase", "passcode", "pwd"],
    pattern: named("pass(?:word|wd|phrase|code)|pwd"),
    secret: "value",
    strength: "password",
    examples: {
      masks: [
        ["DB_PASSWORD=swordfish", "DB_PASSWORD=***"],
        ["db.password = plum77", "db.password = ***"],
        ["password: plum-77", "password: ***"],
        [`{"user":"mira","password":"plum-7777"}`, `{"user":"mira","password":"***"}`],
        [String.raw`"{\"password\":\"plum-7777\"}"`, String.raw`"{\"password\":\"***\"}"`],
        ["**Password:** `plum77`", "**Password:** `***`"],
        ["password%3Dplum77%26user%3Dmira", "password%3D***%26user%3Dmira"],
        ["密码是 password=plum77，请保密", "密码是 password=***，请保密"],
      ],
      keeps: [
        "the password is in the vault",
        "password: string",
        "password: z.string().min(8)",
        `password: "Enter your password"`,
        "login(user=name, password=pw)",
        "password = getpass()",
        "PASSWORD=$PASSWORD",
        "password: <your-password>",
        "PWD=/home/mira/pottery",
      ],
    },
  },
  {
    name: "secret-or-key",
    hints: ["secret", "credential", "key", "pass", "_auth"],
    pattern: named(
      "secret(?:[-_. ]?(?:access)?[-_. ]?key)?|(?:api|access|auth|private|signing|encryption|master|account|service|shared|license|ssh|app|consumer|webhook|subscription|admin|deploy|hmac|jwt)[-_. ]?key|credential|(?<=[a-z0-9][-_.])pass|(?<=_)auth",
    ),
    secret: "value",
    strength: "secret",
    examples: {
      masks: [
        [`API_KEY=${s36}`, "API_KEY=aB3daB…aB3d"],
        [`x-api-key: ${s36}`, "x-api-key: aB3daB…aB3d"],
        [`aws_secret_access_key = ${"wJ4+".repeat(10)}`, "aws_secret_access_key = wJ4+wJ…wJ4+"],
        [`{"clientSecret": "plum7777"}`, `{"clientSecret": "***"}`],
        ["SMTP_PASS='plum77'", "SMTP_PASS='***'"],
        [`const secret: string = "plum7777";`, `const secret: string = "***";`],
      ],
      keeps: [
        "apiKey: process.env.API_KEY",
        "API_KEY=YOUR_API_KEY",
        `api_key: \${{ secrets.API_KEY }}`,
        "secret: the glaze needs no second fire",
        `key = "value"`,
        "fetch(url, { credentials: 'include' })",
        "clientSecret: config.clientSecret,",
      ],
    },
  },
  {
    name: "token",
    hints: ["token"],
    pattern: named(
      `(?<!(?:${plainTokens})[-_. ]?)(?:(?<=[a-z0-9][-_]?)|(?<=(?:access|refresh|auth|api|bot|bearer|session) ))token`,
    ),
    secret: "value",
    strength: "secret",
    examples: {
      masks: [
        [`X_TOKEN=${s36}`, "X_TOKEN=aB3daB…aB3d"],
        [`"refreshToken": "${s36}"`, `"refreshToken": "aB3daB…aB3d"`],
        [`//registry.example/:_authToken=${s36}`, "//registry.example/:_authToken=aB3daB…aB3d"],
        ["access token: plum7777", "access token: ***"],
      ],
      keeps: [
        "X_TOKEN=$X_TOKEN",
        "const accessToken = await getToken()",
        "nextPageToken: CAUQAA99",
        "eos_token: '</s>'",
        "access_token: accessToken,",
      ],
    },
  },
  {
    // Words of parsers and caches too, so only what no one would write as a word is taken for a secret.
    name: "token-or-key-by-value",
    hints: ["token", "_key"],
    pattern: named("(?<![A-Za-z0-9_])(?:[Tt]oken|TOKEN)|(?<=[A-Z0-9]_)KEY", "g"),
    secret: "value",
    strength: "weak",
    examples: {
      masks: [
        [`token: "${s36}"`, `token: "aB3daB…aB3d"`],
        [`STRIPE_KEY=${s36}`, "STRIPE_KEY=aB3daB…aB3d"],
      ],
      keeps: ["token: a word in a grammar", "token = parser.next()", `STORAGE_KEY = "app-settings-v2"`, "token: Token"],
    },
  },
  {
    name: "token-in-environment",
    hints: ["token="],
    pattern: /(?<![A-Za-z0-9_])(TOKEN)=/g,
    secret: "value",
    strength: "secret",
    examples: {
      masks: [["TOKEN=swordfish npm publish", "TOKEN=*** npm publish"]],
      keeps: ["TOKEN=$(cat token.txt)", "TOKEN=TOKEN"],
    },
  },
  {
    name: "query-parameter",
    hints: ["token=", "sig=", "signature=", "auth="],
    pattern: /[?&](?:amp;)?(?:x-amz-|x-goog-)?(token|sig|signature|auth|security-token)=/gi,
    secret: "value",
    strength: "secret",
    examples: {
      masks: [["https://example.com/reset?token=plum7777&lang=en", "https://example.com/reset?token=***&lang=en"]],
      keeps: ["https://example.com/reset?token=<token>", "https://example.com/?page=2&signature=required"],
    },
  },
  {
    name: "query-key",
    hints: ["?key=", "&key=", "&amp;key="],
    pattern: /[?&](?:amp;)?(key)=/gi,
    secret: "value",
    strength: "weak",
    examples: {
      masks: [[`https://example.com/v1?key=${s36}`, "https://example.com/v1?key=aB3daB…aB3d"]],
      keeps: ["https://example.com/list?key=created_at"],
    },
  },
  {
    name: "command-line-flag",
    hints: ["passw", "passphrase", "token", "secret", "credential", "key"],
    // A flag starts where no word and no hyphen precedes, so a run of hyphens is entered once.
    pattern:
      /(?<![\w-])(?!--?(?:max|next)-)--?[a-z0-9-]{0,32}?(password|passwd|passphrase|token|secret|credential|api-?key|access-?key|secret-?key|private-?key|auth-?key)(?![\w-])(?:[ \t]|\\\r?\n)+/gi,
    secret: "value",
    strength: "password",
    examples: {
      masks: [
        ["deploy --token plum7777 --dry-run", "deploy --token *** --dry-run"],
        ["deploy --password 'pl4m tree77' now", "deploy --password '***' now"],
        [`deploy --api-key \\\n  ${s36}`, "deploy --api-key \\\n  aB3daB…aB3d"],
      ],
      keeps: [
        "the --token flag",
        "pass --password to be asked",
        "--token $TOKEN",
        "--max-token 4096",
        "--password-stdin plum7777",
      ],
    },
  },
  {
    name: "authorization-scheme",
    hints: ["authorization"],
    pattern: new RegExp(
      String.raw`authorization${header}(?:bearer|basic|bot|token|apikey|api-key|key|negotiate|ntlm|splunk)[ \t]+`,
      "gi",
    ),
    secret: "value",
    strength: "password",
    examples: {
      masks: [
        [`Authorization: Bearer ${"k".repeat(90)}`, "Authorization: Bearer kkkkkk…kkkk"],
        [`curl -H "Authorization: Basic ${"bWlyYTpw3".repeat(2)}="`, `curl -H "Authorization: Basic bWlyYT…pw3="`],
        [`headers.set("Authorization", "Bot ${s36}")`, `headers.set("Authorization", "Bot aB3daB…aB3d")`],
      ],
      keeps: [
        "Authorization: Bearer <token>",
        `headers: Authorization: Bearer \${token}`,
        "Authorization: Bearer tokens are checked here",
      ],
    },
  },
  {
    name: "authorization",
    hints: ["authorization"],
    pattern: new RegExp(String.raw`authorization${header}(?:[a-z][\w-]{1,20}[ \t]+)?`, "gi"),
    secret: "value",
    strength: "weak",
    examples: {
      masks: [
        [`"authorization": "${s36}"`, `"authorization": "aB3daB…aB3d"`],
        [`Authorization: Custom ${s36}`, "Authorization: Custom aB3daB…aB3d"],
      ],
      keeps: ["Authorization: the caller needs a role", "authorization: required"],
    },
  },
  {
    // Digest, OAuth 1, Hawk and AWS signatures: a list of parameters, masked as one.
    name: "authorization-parameters",
    hints: ["authorization"],
    pattern: new RegExp(
      String.raw`authorization${header}(?:digest|oauth|hawk|aws4-hmac-sha256)[ \t]+([a-z][\w-]{0,40}[ \t]{0,4}=[^\r\n'${"`"}]{3,}[^\s'${"`"}])`,
      "gi",
    ),
    secret: "match",
    examples: {
      masks: [[`Authorization: Digest username="mira", response="${hex}"`, "Authorization: Digest ***"]],
      keeps: ["Authorization: Digest access is old"],
    },
  },
  {
    name: "bearer",
    hints: ["bearer"],
    pattern: /(?<![A-Za-z0-9])bearer[ \t]+([A-Za-z0-9._~+/=-]{18,})/gi,
    secret: "match",
    accept: (text) => !isPlaceholder(text.slice(0, 64)) && !isWordy(text.slice(0, 64)),
    examples: {
      masks: [[`use Bearer ${s36} for it`, "use Bearer aB3daB…aB3d for it"]],
      keeps: ["Bearer authentication-and-authorization", "a bearer of bad news"],
    },
  },
  {
    // All pairs are masked as one: which of them is the session can't be told from outside.
    name: "cookie",
    hints: ["cookie"],
    pattern: new RegExp(
      String.raw`cookie2?${header}([\w!#$%&*+.^|~-]{1,64}=[^\r\n"'${"`"}\\<>]{2,}[^\s"'${"`"}\\<>])`,
      "gi",
    ),
    secret: "match",
    accept: (text) =>
      text
        .split(/;\s*/)
        .filter((pair) => !/^(?:path|domain|expires|max-age|samesite|version)=/i.test(pair))
        .some((pair) => isCookieValue(pair.slice(pair.indexOf("=") + 1).trim())),
    examples: {
      masks: [
        [`Cookie: sid=${s36}; theme=dark`, "Cookie: sid=aB…dark"],
        [`Set-Cookie: sid=plum7777`, "Set-Cookie: ***"],
      ],
      keeps: [
        "Set-Cookie: theme=dark; Max-Age=3600",
        "read(cookie, whence=0x10)",
        "cookie: a small biscuit",
        `cookie: "^0.6.0"`,
      ],
    },
  },
  {
    name: "url-credentials",
    hints: ["://"],
    // `user:pass` is masked, since it is a password somewhere; `USER:PASSWORD` is documentation.
    // The password may hold `@`; a port may not be taken for one. No run goes over a slash, so none reaches the next `://`.
    pattern: /:\/\/[^\s/?#:@"'`<>\\]*:(?!\d{1,5}[/?#])([^\s/"'`<>\\]+)(?=@)/g,
    secret: "match",
    accept: (text) =>
      !isPlaceholder(text) && !isReference(text) && !/^(?:%[sdv]|PASS|PASSWORD|PWD|SECRET|TOKEN)$/.test(text),
    examples: {
      masks: [
        ["postgres://mira:plum77@db.example:5432/kiln", "postgres://mira:***@db.example:5432/kiln"],
        ["redis://:pl@m77@cache:6379", "redis://:***@cache:6379"],
      ],
      keeps: [
        "https://example.com:8080/a@b",
        "http://localhost:3000?to=mira@example.com",
        "ssh://git@example.com:22/kiln.git",
        `postgres://\${USER}:\${PASSWORD}@db/kiln`,
      ],
    },
  },
];
