import type { H3EventContext } from "h3";
import { open } from "../db/open.ts";
import type { ForwardedRequest } from "../http/large-change.ts";
import type { Parts } from "../http/response.ts";
import { keepHeapSmall } from "../lib/heap.ts";
import type { LogLine } from "../lib/logger.ts";
import { BUILD } from "../lib/version.ts";
import { createServer, type ServerOptions } from "./create-server.ts";

/** The server's settings that its worker process needs. */
export interface Settings extends Pick<ServerOptions, "basePath" | "publicUrl" | "trustsProxy"> {
  /** The data file. */
  file: string;
  /** The server's build: by now, the program may have been replaced by a newer one, which would upgrade the file. */
  build: string;
}

/** What the server sends: its settings first, then requests. */
export type FromServer = { settings: Settings } | { id: number; request: ForwardedRequest };

/** What the worker sends: that it can handle requests, replies to them, and lines for the server's log. */
export type ToServer = { isReady: true } | { id: number; reply: Parts } | { line: LogLine };

/** This process, started by a server. */
export type Worker = Pick<NodeJS.Process, "on" | "once"> & {
  /** @param sent called once the message has been sent */
  send(message: ToServer, sent?: () => void): void;
  exit(): void;
};

/** Handles requests for the server that started this process, until that server ends. */
export function runWorker(worker: Worker) {
  // A terminal or a service manager signals both processes; the server first finishes what it has begun.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) worker.on(signal, () => {});
  worker.once("disconnect", () => worker.exit());
  worker.once("message", ({ settings }: Extract<FromServer, { settings: Settings }>) => {
    try {
      serve(worker, settings);
    } catch (error) {
      const message = `starting a worker process: ${(error as Error).message}`;
      worker.send({ line: { level: "warn", message } }, () => worker.exit());
    }
  });
}

function serve(worker: Worker, { file, build, ...settings }: Settings) {
  if (build !== BUILD) throw new Error(`the program was replaced by ${BUILD}: restart the server`);
  keepHeapSmall();
  const db = open(file, { mustExist: true });
  const { app } = createServer({ ...settings, db, log: (line) => worker.send({ line }) });
  const { basePath = "" } = settings;
  worker.on("message", async ({ id, request }: Extract<FromServer, { id: number }>) => {
    const { origin, path, method, headers, body, address } = request;
    const init = { method, headers, ...(body !== "" && { body }) };
    const response = await app.request(`${origin}${basePath}${path}`, init, { address } as H3EventContext);
    worker.send({ id, reply: await partsOf(response) });
  });
  worker.send({ isReady: true });
}

const partsOf = async (response: Response): Promise<Parts> => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: await response.text(),
});
