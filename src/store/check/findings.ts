/** Collects what checks find, by code: counts are complete, the places are the first ones. */
import { type Finding, type FindingCode, findingCodes, findingKinds } from "../../model/finding.ts";
import type { AgentId } from "../../model/ids.ts";

/** Places named of each code. */
const mostPlaces = 5;

export class Findings {
  readonly #agentId: AgentId | undefined;
  readonly #found = new Map<FindingCode, { count: number; places: string[] }>();

  constructor(agentId?: AgentId) {
    this.#agentId = agentId;
  }

  /** @param place What a person would look for; a function, as most are never shown. */
  add(code: FindingCode, place: string | (() => string), count = 1): void {
    let found = this.#found.get(code);
    if (!found) {
      found = { count: 0, places: [] };
      this.#found.set(code, found);
    }
    found.count += count;
    if (found.places.length < mostPlaces) {
      const text = typeof place === "string" ? place : place();
      if (!found.places.includes(text)) found.places.push(text);
    }
  }

  has(...codes: readonly FindingCode[]): boolean {
    return codes.some((code) => this.#found.has(code));
  }

  /** In the order of the codes. */
  list(): Finding[] {
    return findingCodes.flatMap((code) => {
      const found = this.#found.get(code);
      if (!found) return [];
      return {
        code,
        severity: findingKinds[code].severity,
        ...(this.#agentId !== undefined && { agentId: this.#agentId }),
        ...found,
        message: findingKinds[code].message,
        mend: findingKinds[code].mend,
      };
    });
  }
}
