/** Helper processes that talk: one message in, one message out. */
import { type ChildProcess, type ForkOptions, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export interface Child {
  ask(message: string): Promise<unknown>;
  /** The next message, without asking. */
  next(): Promise<unknown>;
  /** Closes the channel (the helper then ends) and waits for its end. */
  end(): Promise<number | null>;
}

/** Starts a helper of this folder and waits for its first word. Killed when the test ends. */
export async function startChild(name: string, args: readonly string[], options: ForkOptions = {}): Promise<Child> {
  const child = fork(join(import.meta.dirname, name), [...args], options);
  onTestFinished(() => void child.kill("SIGKILL"));
  const exit = new Promise<number | null>((done) => child.once("exit", done));
  await nextMessage(child, exit);
  return {
    ask(message) {
      const answer = nextMessage(child, exit);
      child.send(message);
      return answer;
    },
    next: () => nextMessage(child, exit),
    end() {
      if (child.connected) child.disconnect();
      return exit;
    },
  };
}

async function nextMessage(child: ChildProcess, exit: Promise<number | null>): Promise<unknown> {
  const early = exit.then((code) => {
    throw new Error(`the helper ended early with ${code}`);
  });
  early.catch(() => undefined);
  const [message] = await Promise.race([once(child, "message"), early]);
  return message;
}
