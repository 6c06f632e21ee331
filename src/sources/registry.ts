/** The built-in sources, in the order in which they are asked to recognise a file. */
import { claudeCode } from "./claude-code/claude-code.ts";
import { codex } from "./codex/codex.ts";
import { neutral } from "./neutral/neutral.ts";
import { openclaw } from "./openclaw/openclaw.ts";
import { pi } from "./pi/pi.ts";
import type { Source } from "./source.ts";

export const builtInSources: readonly Source[] = [claudeCode, codex, openclaw, pi, neutral];
