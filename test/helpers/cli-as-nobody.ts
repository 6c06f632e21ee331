/** The command line, by somebody who may not write. */
import { main } from "../../src/interfaces/cli/main.ts";
import { becomeNobody } from "./become-nobody.ts";

becomeNobody();
process.exitCode = await main(process.argv.slice(2));
