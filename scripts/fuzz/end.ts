import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { keyFileBeside } from "../../src/db/secrets.ts";
import type { Found } from "./rounds.ts";
import { memoryOf } from "./server.ts";
import type { Site } from "./trial.ts";

/** What the server may hold after all of it, in bytes; a fresh one has some 30 MB. */
const MEMORY = 400e6;

/** More lines of the log have mostly the same cause. */
const ENOUGH = 3;

/** What has to hold once nothing is sent any more: memory, log, file, the stop, and what is left. */
export async function requireEnd(site: Site): Promise<{ memory: number | undefined; found: Found[] }> {
  const { server, executable, data } = site;
  const messages: string[] = [];
  const memory = memoryOf(server);
  if (memory !== undefined && memory > MEMORY)
    messages.push(`expected at most ${MEMORY} bytes of memory, not ${memory}`);
  await server.stop().catch((error: Error) => messages.push(error.message));
  messages.push(...server.complaints.slice(0, ENOUGH));
  try {
    execFileSync(executable, ["doctor", "--data", data], { env: {}, stdio: "pipe" });
  } catch (error) {
    messages.push(`expected a file that is whole, not ${(error as { stdout: Buffer }).stdout}`);
  }
  const expected = [data, keyFileBeside(data)].map((file) => path.basename(file));
  const left = fs.readdirSync(path.dirname(data)).filter((name) => !expected.includes(name));
  if (left.length > 0) messages.push(`expected no file beside the data file, not ${left.join(", ")}`);
  return {
    memory,
    found: messages.map((message) => ({ kind: "end", message, shown: "", alone: undefined })),
  };
}
