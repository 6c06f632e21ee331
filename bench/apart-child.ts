/** The other end of `apart.ts`: `apart-child.ts <module URL> <function>`, input on stdin, answer on descriptor 3. */
import { readFileSync, writeFileSync } from "node:fs";

const [, , module, name] = process.argv;
if (module === undefined || name === undefined) throw new TypeError("a module and the name of a function are wanted");
const exported = (await import(module)) as Record<string, (input: unknown) => unknown>;
const work = exported[name];
if (work === undefined) throw new TypeError(`${module} exports no ${name}`);
const answer = await work(JSON.parse(readFileSync(0, "utf8")));
writeFileSync(3, JSON.stringify(answer ?? null));
