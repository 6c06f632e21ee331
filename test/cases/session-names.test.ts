import { describe, expect, test } from "vitest";
import { SessionNames } from "./session-names.ts";

describe("names of sessions", () => {
  test("a name that a step wrote is that key and no other", () => {
    const names = new SessionNames();
    expect(names.add("a", "kitchen")).toBe("agent:kitchen:a");
    expect(names.add("a")).toBe("agent:kitchen:a");
    expect(names.add("b")).toBe("agent:main:b");
    expect(names.add("agent:main:group:-1_2", "main")).toBe("agent:main:group:-1_2");
    expect(names.is({ sessionKey: "agent:kitchen:a" }, "a")).toBe(true);
    expect(names.is({ sessionKey: "agent:main:a" }, "a")).toBe(false);
    expect(names.is({ sessionKey: "agent:main:group:-1_2" }, "agent:main:group:-1_2")).toBe(true);
  });

  test("an imported session goes by its id or the end of its key", () => {
    const names = new SessionNames();
    expect(names.is({ sessionKey: "agent:main:direct:c1", sessionId: "77" }, "c1")).toBe(true);
    expect(names.is({ sessionKey: "agent:main:x", sessionId: "c1" }, "c1")).toBe(true);
    expect(names.is({ sessionKey: "agent:main:xc1", sessionId: "77" }, "c1")).toBe(false);
    expect(names.is({ sessionKey: "agent:main:c1:agent-7", sessionId: "c1:agent-7" }, "c1")).toBe(false);
  });
});
