/** `backscroll index`: what is indexed beside messages. Turning tools on indexes what is stored before it returns. */
import { type Command, Option } from "commander";
import type { Backscroll } from "../../index.ts";
import { type CliContext, type Common, command, print, run } from "./command.ts";
import { plain } from "./terminal.ts";

interface IndexFlags {
  readonly tools?: "on" | "off";
}

export function addIndex(program: Command, context: CliContext): void {
  command(program, "index", "Show or change what is indexed beside messages.")
    .addOption(
      new Option(
        "--tools <state>",
        "on: also tool calls and results (paths, commands, error lines); off: no more",
      ).choices(["on", "off"]),
    )
    .action((options: Common & IndexFlags) => run(context, options, (store) => index(context, store, options)));
}

async function index(context: CliContext, store: Backscroll, options: Common & IndexFlags): Promise<number> {
  if (options.tools !== undefined) {
    store.indexTools(options.tools === "on");
    // What is dirty now, or what is left to purge: a command that was asked for it takes its time.
    await store.settle();
  }
  const { agents, new: isNew } = store.toolIndexes();
  const said = (on: boolean) => (on ? "indexed" : "not indexed");
  print(context, options, { tools: agents, newAgents: isNew }, () =>
    [
      "Tool calls and results:",
      ...Object.entries(agents).map(([agentId, on]) => `  ${plain(agentId)}: ${said(on)}`),
      `  new agents: ${said(isNew)}`,
    ].join("\n"),
  );
  return 0;
}
