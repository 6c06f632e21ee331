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
