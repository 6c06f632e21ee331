/** The other end of `run.ts`: runs one case in this process. */
import type { BenchCase, CaseInput, Figure } from "./case.ts";

export async function runCase({ module, input }: { module: string; input: CaseInput }): Promise<readonly Figure[]> {
  const { bench } = (await import(module)) as { bench: BenchCase };
  return bench.run(input);
}
