import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { ApiError } from "../http/error.ts";
import type { ForwardedRequest } from "../http/large-change.ts";
import type { Parts } from "../http/response.ts";
import type { Log } from "../log.ts";
import type { FromParent, Settings, ToParent } from "./serve-parent.ts";

/** The argument that makes this program a second process. */
export const SECOND = "--second-process";

export interface Options {
  /** The command that starts this program. */
  program: readonly string[];
  settings: Settings;
  log: Log;
}

/** A second process of this program that handles requests for this one; it ends with this one. */
export class SecondProcess {
  isRunning = true;
  readonly #child: ChildProcess;
  readonly #log: Log;
  readonly #waiting = new Map<number, PromiseWithResolvers<Parts | undefined>>();
  #isReady = false;
  #count = 0;

  constructor({ program: [command = "", ...args], settings, log }: Options) {
    this.#log = log;
    this.#child = spawn(command, [...args, SECOND], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      windowsHide: true,
    });
    this.#child.on("message", (message: ToParent) => this.#receive(message));
    this.#child.on("error", ({ message }) => this.#stopped(message));
    this.#child.once("exit", (code, signal) => this.#stopped(`it ended with ${signal ?? code}`));
    this.#send({ settings });
    log({ level: "info", message: "started a second process, for large changes", pid: this.#child.pid });
  }

  /** @see LargeChanges.handle */
  handle(request: ForwardedRequest): Promise<Parts | undefined> {
    const waiting = Promise.withResolvers<Parts | undefined>();
    const id = this.#count++;
    this.#waiting.set(id, waiting);
    this.#send({ id, request });
    return waiting.promise;
  }

  /** Resolves when it has ended. */
  async end() {
    if (!this.isRunning) return;
    this.#child.disconnect();
    await once(this.#child, "exit");
  }

  /** If it can't be sent, the process has ended, which is reported by itself. */
  #send(message: FromParent) {
    this.#child.send(message, () => {});
  }

  #receive(message: ToParent) {
    if ("isReady" in message) this.#isReady = true;
    if ("line" in message) this.#log(message.line);
    if ("reply" in message) {
      this.#waiting.get(message.id)?.resolve(message.reply);
      this.#waiting.delete(message.id);
    }
  }

  /** What it never saw can be handled here; what it was given may have been done. */
  #stopped(reason: string) {
    this.isRunning = false;
    if (this.#waiting.size > 0)
      this.#log({ level: "warn", message: `the second process, for large changes, is gone: ${reason}` });
    for (const { resolve, reject } of this.#waiting.values()) {
      if (this.#isReady) reject(new ApiError("ServiceUnavailableError", GONE));
      else resolve(undefined);
    }
    this.#waiting.clear();
  }
}

const GONE = "The process that made this change ended before it replied: check whether the change was made";
