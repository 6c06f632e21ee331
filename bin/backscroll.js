#!/usr/bin/env node
// Entry of the command. Plain JavaScript that any Node of the last ten years can parse, so that an old one gets a
// sentence instead of a stack trace. A checkout runs its sources as they are; the published package its build.
import { existsSync } from "node:fs";
import module from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `backscroll needs Node 24.15 or newer; this is ${process.version}.\n` +
      "In a checkout, `npm ci` brings a newer one: run `npm run -s backscroll -- …`. Elsewhere install Node 24 or 26.\n",
  );
  process.exit(2);
}

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const source = join(root, "src", "interfaces", "cli", "main.ts");
const build = join(root, "dist", "interfaces", "cli", "main.js");
// Stripping the types of a hundred files at each start took longer than the search: a checkout keeps the result.
if (existsSync(source)) module.enableCompileCache(join(root, "node_modules", ".cache", "backscroll"));
const { main } = await import(pathToFileURL(existsSync(source) ? source : build).href);
process.exitCode = await main(process.argv.slice(2));
