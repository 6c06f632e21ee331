/** `node eval/generate.ts --seed N [--sessions 120] [--messages 6000] [--topic coding]`: distractor sessions as neutral JSONL. */
import { parseArgs } from "node:util";
import { generate, type Topic, topics } from "./distractors/generate.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    sessions: { type: "string", default: "120" },
    messages: { type: "string", default: "6000" },
    topic: { type: "string", multiple: true, default: [...topics] },
  },
});
const isTopic = (name: string): name is Topic => (topics as readonly string[]).includes(name);
const numbers = [values.seed, values.sessions, values.messages].map(Number);
const [seed = 0, sessions = 0, messages = 0] = numbers;
if (!numbers.every(Number.isSafeInteger) || sessions < 1 || messages < 1 || !values.topic.every(isTopic)) {
  process.stderr.write(
    `usage: node eval/generate.ts [--seed N] [--sessions N] [--messages N] [--topic ${topics.join("|")}]\n`,
  );
  process.exitCode = 2;
} else {
  process.stdout.write(generate({ seed, sessions, messages, topics: values.topic.filter(isTopic) }));
}
