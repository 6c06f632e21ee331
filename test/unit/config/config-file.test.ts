import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { policyOf } from "../../../src/config/config.ts";
import { parseConfig, readConfig } from "../../../src/config/config-file.ts";
import { BackscrollError } from "../../../src/errors.ts";
import { temporaryFolder } from "../../helpers/temporary.ts";

// SPEC 9.7
describe("the settings of a home", () => {
  test("are none where there is no file", () => {
    expect(readConfig(join(temporaryFolder(), "home"))).toEqual({});
  });

  test("are read, with or without a byte order mark", () => {
    const home = join(temporaryFolder(), "home");
    mkdirSync(home);
    const agentToAgent = { enabled: true, allow: ["scout", "work-*"] };
    writeFileSync(
      join(home, "config.json"),
      `\uFEFF${JSON.stringify({ visibility: { mode: "all", agentToAgent, sandboxVisibility: "all" } })}`,
    );
    expect(policyOf(readConfig(home))).toEqual({ visibility: "all", agentToAgent, sandboxVisibility: "all" });
  });

  test.each([
    ["{", /config\.json: /],
    ["[]", /config\.json: /],
    ['{"visibilty":{"mode":"self"}}', /visibilty/],
    ['{"visibility":{"mode":"none"}}', /visibility\.mode: use one of self, tree, agent, all/],
    ['{"visibility":{"agentToAgent":{"enabled":true}}}', /visibility\.agentToAgent\.allow: /],
    [
      '{"visibility":{"agentToAgent":{"enabled":"yes","allow":[" "]}}}',
      /enabled: use true or false; .*allow\.0: must not be blank/,
    ],
    ['{"visibility":{"__proto__":{"mode":"all"}}}', /__proto__/],
  ])("are refused whole where one is wrong, by name: %s", (text, message) => {
    let thrown: unknown;
    try {
      parseConfig(text, "config.json");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(BackscrollError);
    expect(thrown).toMatchObject({ code: "bad_config", message: expect.stringMatching(message) });
  });
});
