import { isUtf8 } from "node:buffer";
import { LONGEST_LINE } from "../limits.ts";
import { DatasetError } from "./error.ts";
import { requireDataset } from "./foreign.ts";

const NEWLINE = 0x0a;

export interface TextLine {
  /** From 1. */
  number: number;
  text: string;
  /** Nothing ends it but the end of the file. */
  isCut: boolean;
}

/**
 * Calls for each line of a dataset that is not empty, and with the number of lines read now and then.
 * @returns how many there were.
 * @throws DatasetError where there is something else than the lines of a dataset.
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
 * The lines of a UTF-8 text, a chunk's at a time. A byte-order mark and Windows line ends are taken off, empty
 * lines are left out.
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
    if (rest.length > LONGEST_LINE) throw tooLong(number + 1);
    yield lines.filter((line) => line.text !== "");
  }
  const last = toLine(rest, number + 1, true);
  if (last.text !== "") yield [last];
}

function toLine(bytes: Buffer, number: number, isCut: boolean): TextLine {
  if (bytes.length > LONGEST_LINE) throw tooLong(number);
  if (!isUtf8(bytes)) throw new DatasetError(number, "is not valid UTF-8");
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return { number, text: number === 1 ? text.replace(/^\uFEFF/, "") : text, isCut };
}

const tooLong = (number: number) => new DatasetError(number, `is longer than ${LONGEST_LINE} bytes`);

/** Lines joined to larger pieces, for a stream is slow in small ones. */
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
