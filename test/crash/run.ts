/**
 * `npm run crash -- [--kills n] [--seed n]`: writers that are killed at any moment lose nothing that they acknowledged and
 * leave nothing half-written. Ends with one line of JSON; exits 1 when anything was lost or is not as it should be.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { memoryPlace } from "../helpers/places.ts";
import { wholeNumber } from "../helpers/whole-number.ts";
import { crash } from "./crash.ts";

const { values } = parseArgs({ options: { kills: { type: "string" }, seed: { type: "string" } } });
const kills = wholeNumber("kills", values.kills, 500);
const seed = wholeNumber("seed", values.seed, Math.floor(Math.random() * 2 ** 31));
const folder = (place: string) => mkdtempSync(join(place, "backscroll-crash-"));
const [disk, memory] = [folder(tmpdir()), folder(memoryPlace())];
process.stdout.write(`seed ${seed}\n`);
const start = performance.now();
const figures = await crash({ disk, memory }, kills, seed, (line) => process.stdout.write(`${line}\n`));
for (const each of [disk, memory]) rmSync(each, { recursive: true, force: true });
const { failures, ...counts } = figures;
for (const failure of failures) process.stdout.write(`\n${failure}\n`);
process.stdout.write(
  `${JSON.stringify({ proof: "crash", seed, ...counts, seconds: Math.round((performance.now() - start) / 100) / 10 })}\n`,
);
process.exitCode = figures.mismatches > 0 || figures.lost > 0 ? 1 : 0;
