/**
 * The settings of a home, `<home>/config.json`: who may see what, further rules of redaction, who may ask over MCP. Typed, checked
 * whole before anything of it is used; one unknown or wrong setting refuses the file, as a misspelt rule of visibility must
 * never be taken for none.
 */
import * as z from "zod";
import { type Policy, sandboxVisibilities, visibilityModes } from "../model/caller.ts";
import { parseSessionKey } from "../model/ids.ts";

const text = (longest: number) =>
  z
    .string("use a text")
    .max(longest, `use at most ${longest} characters`)
    .refine((value) => value.trim() !== "", "must not be blank");

const flag = z.boolean("use true or false");
const mode = z.enum(visibilityModes, `use one of ${visibilityModes.join(", ")}`);

const visibility = z.strictObject({
  mode: mode.optional().describe("What an agent sees: self, tree (the default), agent or all."),
  agentToAgent: z
    .strictObject({
      enabled: flag.describe("Whether mode all reaches other agents."),
      allow: z
        .array(text(64))
        .max(1000, "use at most 1000 entries")
        .describe("Agent ids and globs with *; both agents must match one."),
    })
    .optional(),
  sandboxVisibility: z
    .enum(sandboxVisibilities, `use one of ${sandboxVisibilities.join(", ")}`)
    .optional()
    .describe("What sandboxed agents are limited to: spawned (the default), or all for no further limit."),
});

/** Who a connection speaks for: the owner, or an agent in a session. */
export const callerSetting = z.union(
  [
    z.literal("owner"),
    z.strictObject({
      sessionKey: text(512).refine((key) => parseSessionKey(key) !== null, "use a session key: agent:<agentId>:<rest>"),
      visibility: mode.optional(),
      sandboxed: flag.optional(),
    }),
  ],
  'use "owner" or {"sessionKey": "agent:<agentId>:<rest>"}',
);
export type CallerSetting = z.infer<typeof callerSetting>;

export const configSchema = z.strictObject({
  visibility: visibility.optional(),
});
export type Config = z.infer<typeof configSchema>;

/** What the file says of callers; what it leaves out is absent. */
export function policyOf({ visibility: given }: Config): Partial<Policy> {
  return {
    ...(given?.mode !== undefined && { visibility: given.mode }),
    ...(given?.agentToAgent !== undefined && { agentToAgent: given.agentToAgent }),
    ...(given?.sandboxVisibility !== undefined && { sandboxVisibility: given.sandboxVisibility }),
  };
}
