/** What survives beside a secret name (SPEC 5.6), and what does not. */
import { describe, expect, test } from "vitest";
import { redact } from "../../../src/redaction/redact.ts";

// SPEC 5.6
describe("is kept", () => {
  test.each([
    // Prose.
    ["the password is in the vault"],
    ["token: a word in a grammar"],
    ["The secret: let it cool overnight."],
    ["Password: at least 8 characters"],
    ["password: 8-12 characters"],
    ["API key: required"],
    ["password: n/a"],
    ["access token: expires in 3600s"],
    ["the api key: see docs/README2.md for it"],
    ["令牌 token：一种用于表示身份的字符串"],
    ["the --token flag, or --password if you must"],
    // Types and schemas.
    ["password: string;"],
    ["type Login = { password: string | null; token?: string }"],
    ["apiKey: z.string().min(32)"],
    ["password VARCHAR(255) NOT NULL"],
    [`"password": { "type": "string" }`],
    [`{ "password": "パスワード", "token": "Токен доступа" }`],
    ["let secret: Secret<String> = load();"],
    ["def login(password: str, token: Optional[str] = None):"],
    ["token::Kind, secrets::Store"],
    // Code.
    ["const token = await getToken()"],
    ["apiKey: process.env.API_KEY"],
    ["API_KEY=process.env.API_KEY"],
    [`password = os.environ["DB_PASSWORD"]`],
    ["secret = base64.b64decode(raw)"],
    ["login(user=user, password=password)"],
    ["accessToken: this.accessToken,"],
    ["$password = $this->password;"],
    ["private_key = self._private_key"],
    [`headers["authorization"] = "Basic " + encoded`],
    ["for token in tokens: emit(token)"],
    [`const TOKEN_KEY = "auth_token"`],
    [`CLIENT_SECRET = "client_secret"`],
    [`const STORAGE_KEY = "app-settings-v2"`],
    [`key = "value"`],
    ["{ token: 42, secret: false, password: null }"],
    ["STENCIL_PASS: 0x0B96,"],
    ["const [password, setPassword] = useState('')"],
    [`<input type="password" name="password" placeholder="Password">`],
    [`fetch(url, { credentials: "include" })`],
    [`password: "Enter your password"`],
    ["nextPageToken: CAUQAA99, max_tokens: 4096, eos_token: '</s>'"],
    ["cache_key: users/1-20240102, primary_key: id"],
    ["PWD=/home/mira/pottery-2 make"],
    // References and placeholders.
    ["X_TOKEN=$X_TOKEN"],
    [`API_KEY=\${TOKEN} PASSWORD=$(cat secret.txt)`],
    [`password: \${{ secrets.PASSWORD }}`],
    ["password: {{ vault_password }}"],
    ["secret: op://kiln/glaze/password"],
    ["PASSWORD=/run/secrets/password"],
    ["<your-token> password: <password>"],
    ["API_KEY=YOUR_API_KEY"],
    ["api_key: your-32-character-key"],
    ["token: xxxx PASSWORD=**** API_KEY=..."],
    ["ANTHROPIC_API_KEY=sk-ant-... npm start"],
    ["password: [REDACTED], secret: changeme"],
    // What has no name beside it.
    ["https://example.com:8080/a?b=c&d=e#token"],
    [`data:image/png;base64,${"iVBORw0KGgo".repeat(40)}`],
    [`sha256:${"3f9a".repeat(16)} 7f3c2b1a-0d4e-4c6f-9a8b-1e2d3c4b5a69`],
  ])("%j", (text) => {
    expect(redact(text).text).toBe(text);
  });
});

// SPEC 5.4
describe("is masked", () => {
  test.each([
    ["password=swordfish", "password=***"],
    ["PASSWORD=plum", "PASSWORD=***"],
    ["PASSWORD=слива", "PASSWORD=***"],
    [`"password": "Pflaumenmus-süß"`, `"password": "***"`],
    ["password: correct-horse", "password: ***"],
    ["password: plum77 and the user is mira", "password: *** and the user is mira"],
    [`"password": "Sesame"`, `"password": "***"`],
    [`"password": "plum 77x tree"`, `"password": "***"`],
    ["pwd: plum77", "pwd: ***"],
    ["db_pass: plum77", "db_pass: ***"],
    ["passphrase='kiln-7'", "passphrase='***'"],
    ["TOKEN=swordfish", "TOKEN=***"],
    ["MY_SECRET=swordfish", "MY_SECRET=***"],
    [`secret: "swordfish"`, `secret: "***"`],
    [`SECRET_KEY="correct.horse"`, `SECRET_KEY="***"`],
    ["access_token: plum7777", "access_token: ***"],
    ["client_secret=plum7777", "client_secret=***"],
    [`token: "${"aB3d".repeat(4)}"`, `token: "***"`],
    ["token = 7f3c2b1a-0d4e-4c6f-9a8b-1e2d3c4b5a69", "token = 7f3c2b…5a69"],
    [`SOME_KEY=${"3f9a".repeat(8)}`, "SOME_KEY=3f9a3f…3f9a"],
    ["password=Tr0ub(4dor", "password=***"],
    ["password=$2b$10$abcdefghijk", "password=$2b$10…hijk"],
    ["password: $ecr3t-plum", "password: ***"],
  ])("%j", (text, masked) => {
    expect(redact(text).text).toBe(masked);
  });
});
