/**
 * A process of its own that holds the write lock of the database of the first argument: for so many milliseconds (second
 * argument), or until its parent hangs up. Says when it has it.
 */
import { DatabaseSync } from "node:sqlite";

const [path = "", milliseconds] = process.argv.slice(2);
const db = new DatabaseSync(path, { timeout: 5000 });
db.exec("BEGIN IMMEDIATE; UPDATE sessions SET updated_at = updated_at");
const letGo = () => {
  db.exec("ROLLBACK");
  db.close();
  process.exit(0);
};
if (milliseconds !== undefined) setTimeout(letGo, Number(milliseconds));
process.on("disconnect", letGo);
process.send?.("held");
