import { describe, expect, test } from "vitest";
import { type Caller, owner, visibilityModes } from "../../../src/model/caller.ts";
import { type AgentId, parseAgentId, sessionKeyOf } from "../../../src/model/ids.ts";
import { reachesAgent, scopeOf } from "../../../src/visibility/scope.ts";

function agent(name: string): AgentId {
  const id = parseAgentId(name);
  if (id === null) throw new Error(`not an agent id: ${name}`);
  return id;
}

const [own, other] = [agent("own"), agent("other")];
const key = sessionKeyOf(own, "telegram:group:-100_42");
const caller = (visibility: (typeof visibilityModes)[number]): Caller => ({
  kind: "session",
  sessionKey: key,
  visibility,
});

// SPEC 6.2
describe("scopeOf", () => {
  test("lets the owner see everything", () => {
    expect(scopeOf(owner)).toEqual({ sees: "everything" });
  });

  test("self is the caller's own session", () => {
    expect(scopeOf(caller("self"))).toEqual({ sees: "session", agentId: own, sessionKey: key });
  });

  test("tree is the caller's session and those spawned from it, within the agent", () => {
    expect(scopeOf(caller("tree"))).toEqual({ sees: "tree", agentId: own, root: key });
  });

  test("agent is all of the caller's agent", () => {
    expect(scopeOf(caller("agent"))).toEqual({ sees: "agent", agentId: own });
  });

  // SPEC 6.3: the agent-to-agent policy is off.
  test("all is the caller's agent too, without a policy that lets it reach further", () => {
    expect(scopeOf(caller("all"))).toEqual(scopeOf(caller("agent")));
  });

  test("takes the agent from the session key, whatever the rest of it holds", () => {
    for (const rest of ["main", "agent:other:main", ":", "a:b:c", "x y"]) {
      expect(scopeOf({ kind: "session", sessionKey: sessionKeyOf(own, rest), visibility: "agent" })).toEqual({
        sees: "agent",
        agentId: own,
      });
    }
  });
});

// SPEC 6.1, 6.3
describe("reachesAgent", () => {
  test("the owner reaches every agent", () => {
    expect(reachesAgent(scopeOf(owner), own)).toBe(true);
    expect(reachesAgent(scopeOf(owner), other)).toBe(true);
  });

  test.each(visibilityModes)("a session's caller with %s reaches its own agent and no other", (mode) => {
    const scope = scopeOf(caller(mode));
    expect(reachesAgent(scope, own)).toBe(true);
    expect(reachesAgent(scope, other)).toBe(false);
    expect(reachesAgent(scope, agent("own-2"))).toBe(false);
  });
});
