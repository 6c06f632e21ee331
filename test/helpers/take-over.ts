/** A process of its own: takes the state folder (second argument) over into the home (first), and kills itself before the nth change (third). */
import { fileOperations } from "../../src/upkeep/legacy/legacy-move.ts";
import { counted, legacyWith } from "./legacy-store.ts";

const [home = "", folder = "", at = "0"] = process.argv.slice(2);
const operations = counted(fileOperations, (count) => {
  if (count === Number(at)) process.kill(process.pid, "SIGKILL");
});
const { legacy, home: opened } = legacyWith(home, folder, operations);
await legacy.import();
opened.close();
