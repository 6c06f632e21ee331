/** A progress bar for what takes long: on a terminal only, on stderr, with rate and time left. */
import { Presets, SingleBar } from "cli-progress";
import { bytes } from "./terminal.ts";

export interface ProgressBar {
  update(progress: { readonly bytesDone: number; readonly bytesTotal: number }): void;
  stop(): void;
}

const none: ProgressBar = { update: () => undefined, stop: () => undefined };

export function progressBar(stream: NodeJS.WriteStream, now: () => number, doing = "importing"): ProgressBar {
  if (!stream.isTTY) return none;
  const bar = new SingleBar(
    {
      format: `${doing} {bar} {percentage}%  {done} of {whole}  {rate}/s  {eta_formatted} left`,
      stream,
      hideCursor: true,
      clearOnComplete: true,
      etaBuffer: 50,
    },
    Presets.shades_classic,
  );
  const start = now();
  let started = false;
  return {
    update({ bytesDone, bytesTotal }) {
      const seconds = Math.max(0.001, (now() - start) / 1000);
      const payload = { done: bytes(bytesDone), whole: bytes(bytesTotal), rate: bytes(bytesDone / seconds) };
      if (!started) bar.start(Math.max(1, bytesTotal), bytesDone, payload);
      else bar.update(bytesDone, payload);
      started = true;
    },
    stop() {
      if (started) bar.stop();
    },
  };
}

/** One line that says what is being done, for work of which nobody knows how much there is. */
export function progressLine(stream: NodeJS.WriteStream): { show(text: string): void; stop(): void } {
  if (!stream.isTTY) return { show: () => undefined, stop: () => undefined };
  let shown = "";
  const write = (text: string) => {
    if (text === shown) return;
    shown = text;
    stream.write(`\r\u001b[K${text}`);
  };
  return { show: write, stop: () => write("") };
}
