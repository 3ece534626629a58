import fs from "node:fs/promises";
import path from "node:path";
import { EVENT_TYPES } from "../events/schema.ts";
import { failed, parameter, REQUIRED, type Service } from "./service.ts";

/** The size at which files are rotated, in bytes. */
const MAX_BYTES = 10 * 1024 * 1024;

/** How many rotated files are kept. */
const MAX_ROTATED = 5;

/** Appends to a file, and waits until it is on disk. Not in the original; for systems without a network. */
export const FILE: Service = {
  definition: {
    name: "file",
    displayName: "File",
    description:
      "Appends each event, with the hash of the log up to it, to a file on the server: one JSON object per line.",
    documentationUrl: "https://jsonlines.org",
    howTo:
      "The file NAME.jsonl is in the folder chosen by the operator, by default next to the data file. At 10 MB it becomes " +
      "NAME.1.jsonl, and so on; five are kept.",
    parameters: [
      parameter("file", "Name", "Letters, digits, - and _, without the extension .jsonl.", {
        ...REQUIRED,
        placeholder: "changes",
      }),
    ],
    events: [...EVENT_TYPES],
  },
  async deliver({ event, head, parameters: { file: name = "" } }, { folder }) {
    const body = { ...event, ...(head !== null && { head }) };
    const details = { file: `${name}.jsonl`, body };
    if (folder === undefined)
      return failed("No folder for files is configured: set --delivery-folder.", details);
    try {
      await append(folder, name, `${JSON.stringify(body)}\n`);
      return { state: "success", stateDetails: `The event was appended to ${name}.jsonl.`, details };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return {
        ...failed(`The event could not be appended to ${name}.jsonl: ${code ?? message}.`, details),
        retry: {},
      };
    }
  },
};

async function append(folder: string, name: string, line: string) {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const at = (number?: number) =>
    path.join(folder, number === undefined ? `${name}.jsonl` : `${name}.${number}.jsonl`);
  const size = await fs.stat(at()).then(
    (found) => found.size,
    () => 0,
  );
  if (size > 0 && size + Buffer.byteLength(line) > MAX_BYTES) await rotate(at);
  await appendWhole(at(), line);
}

/** Writes the whole line or nothing: on a full disk, a partial line would corrupt the next one. */
async function appendWhole(file: string, line: string) {
  await using handle = await fs.open(file, "a+", 0o600);
  const { size } = await handle.stat();
  const text = (await endsWithNewline(handle, size)) ? line : `\n${line}`;
  try {
    await handle.appendFile(text);
    await handle.sync();
  } catch (error) {
    await handle.truncate(size);
    throw error;
  }
}

/** False if the machine crashed while the last line was being written. */
async function endsWithNewline(handle: fs.FileHandle, size: number) {
  if (size === 0) return true;
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer.toString() === "\n";
}

async function rotate(at: (number?: number) => string) {
  await fs.rm(at(MAX_ROTATED), { force: true });
  for (let number = MAX_ROTATED - 1; number > 0; number--)
    await fs.rename(at(number), at(number + 1)).catch(() => {});
  await fs.rename(at(), at(1));
}
