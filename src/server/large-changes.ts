import type { LargeChanges } from "../http/large-change.ts";
import { type Options, WorkerProcess } from "./worker-process.ts";

/** How long the worker process is kept after a large change, in milliseconds: they often come in series. */
const IDLE_MS = 60_000;

interface LargeChangesOptions extends Options {
  /** Whether the name of the data file still refers to the file that the server has open. */
  isInPlace: () => boolean;
}

/** Has large changes made by a worker process, which is started when the first one comes. */
export function createLargeChanges({ isInPlace, ...options }: LargeChangesOptions): LargeChanges {
  let worker: WorkerProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running = 0;
  let isClosed = false;
  const end = () => {
    const ending = worker;
    worker = undefined;
    return ending?.end();
  };
  return {
    async handle(request) {
      if (isClosed || !isInPlace()) return undefined;
      clearTimeout(timer);
      running++;
      try {
        if (!worker?.isRunning) worker = started(options);
        return await worker?.handle(request);
      } finally {
        if (--running === 0) timer = setTimeout(end, IDLE_MS).unref();
      }
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await end();
    },
  };
}

function started(options: Options): WorkerProcess | undefined {
  try {
    return new WorkerProcess(options);
  } catch (error) {
    options.log({ level: "warn", message: `starting a worker process: ${(error as Error).message}` });
    return undefined;
  }
}
