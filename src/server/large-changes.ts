import type { LargeChanges } from "../http/large-change.ts";
import { type Options, SecondProcess } from "./second-process.ts";

/** How long the second process is kept after a large change, in milliseconds: they often come in series. */
const IDLE_MS = 60_000;

/** Has large changes made by a second process, which is started when the first one comes. */
export function createLargeChanges(options: Options): LargeChanges {
  let second: SecondProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = 0;
  const close = async () => {
    clearTimeout(timer);
    const ending = second;
    second = undefined;
    await ending?.end();
  };
  return {
    async handle(request) {
      clearTimeout(timer);
      running++;
      if (!second?.isRunning) second = new SecondProcess(options);
      try {
        return await second.handle(request);
      } finally {
        if (--running === 0) timer = setTimeout(close, IDLE_MS).unref();
      }
    },
    close,
  };
}
