import { open } from "../db/open.ts";
import { keepHeapSmall } from "../heap.ts";
import type { ForwardedRequest } from "../http/large-change.ts";
import type { Parts } from "../http/response.ts";
import type { LogLine } from "../log.ts";
import { BUILD } from "../version.ts";
import { createServer, type ServerOptions } from "./create-server.ts";

/** The server's settings that its second process needs. */
export interface Settings extends Pick<ServerOptions, "publicUrl" | "trustsProxy"> {
  /** The data file. */
  file: string;
  /** The server's build: by now, the program may have been replaced by a newer one, which would upgrade the file. */
  build: string;
}

/** What the server sends: its settings first, then requests. */
export type FromParent = { settings: Settings } | { id: number; request: ForwardedRequest };

/** What the second process sends: that it can handle requests, replies to them, and lines for the server's log. */
export type ToParent = { isReady: true } | { id: number; reply: Parts } | { line: LogLine };

/** This process, as a server starts it. */
export type Second = Pick<NodeJS.Process, "on" | "once"> & {
  send(message: ToParent): void;
  exit(): void;
};

/** Handles requests for the server that started this process, until that server ends. */
export function serveParent(second: Second) {
  // A terminal or a service manager signals both processes; the server first finishes what it has begun.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) second.on(signal, () => {});
  second.once("disconnect", () => second.exit());
  second.once("message", ({ settings }: Extract<FromParent, { settings: Settings }>) => {
    try {
      serve(second, settings);
    } catch (error) {
      second.send({
        line: { level: "warn", message: `starting the second process: ${(error as Error).message}` },
      });
      second.exit();
    }
  });
}

function serve(second: Second, { file, build, ...settings }: Settings) {
  if (build !== BUILD) throw new Error(`the program was replaced by ${BUILD}: restart the server`);
  keepHeapSmall();
  const db = open(file, { mustExist: true });
  const { app } = createServer({ ...settings, db, log: (line) => second.send({ line }) });
  second.on("message", async ({ id, request }: Extract<FromParent, { id: number }>) => {
    const { url, method, headers, body } = request;
    const response = await app.request(url, { method, headers, ...(body !== "" && { body }) });
    second.send({ id, reply: await toParts(response) });
  });
  second.send({ isReady: true });
}

const toParts = async (response: Response): Promise<Parts> => ({
  status: response.status,
  headers: Object.fromEntries(response.headers),
  body: await response.text(),
});
