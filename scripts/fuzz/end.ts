import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { keyFileBeside } from "../../src/db/secrets.ts";
import type { Found } from "./rounds.ts";
import { memoryOf } from "./server.ts";
import type { Site } from "./trial.ts";

/** Limit of the server's memory after the run, in bytes; a fresh server has some 30 MB. */
const MAX_MEMORY = 400e6;

/** Report this many log lines; more mostly have the same cause. */
const MAX_COMPLAINTS = 3;

/** Checks after the run: memory, log, data file, graceful stop, and leftover files. */
export async function checkEnd(site: Site): Promise<{ memory: number | undefined; found: Found[] }> {
  const { server, executable, data } = site;
  const messages: string[] = [];
  const memory = memoryOf(server);
  if (memory !== undefined && memory > MAX_MEMORY)
    messages.push(`expected at most ${MAX_MEMORY} bytes of memory, not ${memory}`);
  await server.stop().catch((error: Error) => messages.push(error.message));
  messages.push(...server.complaints.slice(0, MAX_COMPLAINTS));
  try {
    execFileSync(executable, ["doctor", "--data", data], { env: {}, stdio: "pipe" });
  } catch (error) {
    messages.push(`expected an intact file, not ${(error as { stdout: Buffer }).stdout}`);
  }
  const expected = [data, keyFileBeside(data)].map((file) => path.basename(file));
  const left = fs.readdirSync(path.dirname(data)).filter((name) => !expected.includes(name));
  if (left.length > 0)
    messages.push(`expected no leftover files beside the data file, not ${left.join(", ")}`);
  return {
    memory,
    found: messages.map((message) => ({ kind: "end", message, shown: "", alone: undefined })),
  };
}
