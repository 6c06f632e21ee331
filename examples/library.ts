/**
 * The library in one go: an agent that keeps each message the moment it is said, finds it again, and opens the
 * conversation around the hit. Run it: `npm run -s example -- [home]`; without a home it uses a temporary folder.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// In a project of your own: from "backscroll".
import { open, type Role, sessionKeyOf, toAgentId, toEntryId } from "../src/index.ts";

const home = process.argv[2] ?? mkdtempSync(join(tmpdir(), "backscroll-example-"));
const backscroll = open({ home });
const store = backscroll.store("gardener");
const sessionKey = sessionKeyOf(toAgentId("gardener"), "greenhouse");
let count = 0;

/** When this returns, the message is on disk and every process finds it. An id that is there already changes nothing. */
function keep(role: Role, text: string): void {
  count += 1;
  const id = toEntryId(`m${count}`);
  store.append(sessionKey, [{ id, type: "message", role, timestamp: Date.now(), parts: [{ type: "text", text }] }]);
}

keep("user", "The vent motor sticks when it freezes.");
keep("assistant", "Then its grease is too stiff. Clean it and take silicone grease.");
keep("user", "Done, it turns again at minus four.");

const { results, explain } = await backscroll.search({ query: '"silicone grease"', limit: 5 });
const [hit] = results;
if (!hit) throw new Error(explain?.hint ?? "nothing found");
console.log(`found: ${hit.role}, ${hit.snippet}`);

const page = await backscroll.history({ sessionKey: hit.sessionKey, messageId: hit.messageId, limit: 3 });
for (const { anchor, role, content } of page.messages) {
  console.log(`${anchor ? ">" : " "} ${role}: ${content.map(({ text }) => text ?? "").join(" ")}`);
}
backscroll.close();
