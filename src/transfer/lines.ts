import { isUtf8 } from "node:buffer";
import { DatasetError } from "../dataset/error.ts";
import { MAX_LINE_BYTES } from "../lib/limits.ts";
import { requireDataset } from "./foreign.ts";

const NEWLINE = 0x0a;

export interface TextLine {
  /** Starting at 1. */
  number: number;
  text: string;
  /** The file ended before a line break. */
  isCut: boolean;
}

/**
 * Calls back for each non-empty line of a dataset, and periodically with the number of lines read.
 * @returns the number of lines.
 * @throws DatasetError for anything other than the lines of a dataset.
 */
export async function eachLine(
  chunks: AsyncIterable<Buffer>,
  onLine: (line: TextLine, isFirst: boolean) => void,
  onProgress: (lines: number) => void,
): Promise<number> {
  let read = 0;
  for await (const lines of textLines(requireDataset(chunks))) {
    for (const line of lines) onLine(line, read++ === 0);
    onProgress(read);
  }
  return read;
}

/**
 * The lines of a UTF-8 text, one chunk's worth at a time. A byte-order mark and Windows line endings are removed, empty
 * lines are skipped.
 * @throws DatasetError for a line that is not UTF-8 or too long.
 */
async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(toLine(bytes.subarray(start, end), ++number, false));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > MAX_LINE_BYTES) throw tooLong(number + 1);
    yield lines.filter((line) => line.text !== "");
  }
  const last = toLine(rest, number + 1, true);
  if (last.text !== "") yield [last];
}

function toLine(bytes: Buffer, number: number, isCut: boolean): TextLine {
  if (bytes.length > MAX_LINE_BYTES) throw tooLong(number);
  if (!isUtf8(bytes)) throw new DatasetError(number, "is not valid UTF-8");
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return { number, text: number === 1 ? text.replace(/^\uFEFF/, "") : text, isCut };
}

const tooLong = (number: number) => new DatasetError(number, `is longer than ${MAX_LINE_BYTES} bytes`);

/** Joins lines into larger chunks, since streams are slow with small ones. */
export function* inChunks(lines: Iterable<string>): Generator<string> {
  let chunk = "";
  for (const line of lines) {
    chunk += line;
    if (chunk.length < 64 * 1024) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}
