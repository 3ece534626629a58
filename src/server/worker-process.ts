import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { ForwardedRequest } from "../http/large-change.ts";
import type { Parts } from "../http/response.ts";
import { ApiError } from "../lib/api-error.ts";
import type { Log } from "../lib/logger.ts";
import type { FromServer, Settings, ToServer } from "./worker.ts";

/** The argument that makes this program a worker process. */
export const WORKER = "--worker";

/** How long a worker may take to end, in milliseconds; by then nobody waits for what it is doing. */
const END_MS = 1_000;

export interface Options {
  /** The command that starts this program. */
  program: readonly string[];
  settings: Settings;
  log: Log;
}

/** A process of this program that handles requests for the server, and ends with it. */
export class WorkerProcess {
  isRunning = true;
  readonly #child: ChildProcess;
  readonly #log: Log;
  readonly #waiting = new Map<number, PromiseWithResolvers<Parts | undefined>>();
  #isReady = false;
  #count = 0;

  /** @throws if the system can't start a process; most failures are reported later */
  constructor({ program: [command = "", ...args], settings, log }: Options) {
    this.#log = log;
    this.#child = spawn(command, [...args, WORKER], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      windowsHide: true,
    });
    this.#child.once("spawn", () =>
      log({ level: "info", message: "started a worker process for large changes", pid: this.#child.pid }),
    );
    this.#child.on("message", (message: ToServer) => this.#receive(message));
    this.#child.on("error", ({ message }) => this.#stopped(message));
    this.#child.once("exit", (code, signal) => this.#stopped(`exited with ${signal ?? code}`));
    this.#send({ settings });
  }

  /** @see LargeChanges.handle */
  handle(request: ForwardedRequest): Promise<Parts | undefined> {
    const waiting = Promise.withResolvers<Parts | undefined>();
    const id = this.#count++;
    this.#waiting.set(id, waiting);
    this.#send({ id, request }, () => waiting.resolve(undefined));
    return waiting.promise;
  }

  /** Resolves when it has ended; what it is changing is changed as a whole or not at all. */
  async end() {
    if (!this.isRunning) return;
    const deadline = setTimeout(() => this.#child.kill("SIGKILL"), END_MS);
    if (this.#child.connected) this.#child.disconnect();
    await once(this.#child, "exit");
    clearTimeout(deadline);
  }

  /** @param failed called if the worker can't have received the message: it is about to end, or hasn't started */
  #send(message: FromServer, failed = () => {}) {
    if (this.#child.connected) this.#child.send(message, (error) => error && failed());
    else failed();
  }

  #receive(message: ToServer) {
    if ("isReady" in message) this.#isReady = true;
    if ("line" in message) this.#log(message.line);
    if ("reply" in message) {
      this.#waiting.get(message.id)?.resolve(message.reply);
      this.#waiting.delete(message.id);
    }
  }

  /** Requests that it never read can be handled by the server; others may have been handled. */
  #stopped(reason: string) {
    this.isRunning = false;
    if (this.#waiting.size > 0)
      this.#log({ level: "warn", message: `the worker process for large changes failed: ${reason}` });
    for (const { resolve, reject } of this.#waiting.values()) {
      if (this.#isReady) reject(new ApiError("ServiceUnavailableError", ENDED));
      else resolve(undefined);
    }
    this.#waiting.clear();
  }
}

const ENDED = "The process that made this change ended before it replied: check whether the change was made";
