/** Limits low enough for a small test to cross them. For the process that the test runs in; `restore` puts them back. */
import { type LimitName, limits } from "../../src/limits.ts";

export function lowerLimits(to: Partial<Record<LimitName, number>>): { restore(): void } {
  const before = Object.entries(to).map(([name]) => [name, limits[name as LimitName].default] as const);
  const set = (name: string, value: number) => {
    (limits[name as LimitName] as { default: number }).default = value;
  };
  for (const [name, value] of Object.entries(to)) set(name, value);
  return {
    restore: () => {
      for (const [name, value] of before) set(name, value);
    },
  };
}
