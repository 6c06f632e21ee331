/** Clocks and statistics. Times are milliseconds, memory MiB. */
import { readFileSync } from "node:fs";

/**
 * - `wall`: what a person waits, with whatever else the machine does.
 * - `cpu`: of this process, all its threads: the steadier figure on a machine that others use.
 */
export interface Timing {
  readonly wall: number;
  readonly cpu: number;
}

export function timed(work: () => void): Timing {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  work();
  return since(wall, cpu);
}

export async function timedAsync(work: () => Promise<void>): Promise<Timing> {
  const cpu = process.cpuUsage();
  const wall = performance.now();
  await work();
  return since(wall, cpu);
}

function since(start: number, cpu: NodeJS.CpuUsage): Timing {
  const wall = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1000 };
}

/** The smallest value that is at least as large as that share of the values (nearest rank). */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
  if (found === undefined) throw new RangeError("no values were measured");
  return found;
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/**
 * The most memory this process ever had resident. `maxRSS` of a child counts what its parent had at the fork (Linux
 * carries it over `exec`), so the kernel's own high-water mark is read where there is one.
 */
export function peakMemory(): number {
  if (process.platform === "linux") {
    const line = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
    if (line) return Number(line[1]) / 1024;
  }
  return process.resourceUsage().maxRSS / 1024;
}
