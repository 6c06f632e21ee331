/** A process of its own: opens the store of the first argument and appends 25 messages, one a transaction. */
import { toAgentId } from "../../src/model/ids.ts";
import { AgentStore } from "../../src/store/agent-store.ts";
import { key, user } from "./entries.ts";

const [path = "", name = ""] = process.argv.slice(2);
const store = new AgentStore(path, toAgentId("main"), { durability: "normal" });
for (let at = 0; at < 25; at++)
  store.append(key(`process${name}`), [user(`m${at}`, `message ${at} of process ${name}`)]);
store.close();
