import { isUtf8 } from "node:buffer";
import { DatasetError } from "./error.ts";

/** Longer lines are refused, so that memory stays bounded whatever is read. */
const LONGEST = 16 * 1024 * 1024;

const NEWLINE = 0x0a;

export interface TextLine {
  /** From 1. */
  number: number;
  text: string;
}

/**
 * The lines of a UTF-8 text, a chunk's at a time. A byte-order mark and Windows line ends are taken off, empty
 * lines are left out.
 * @throws DatasetError for a line that is not UTF-8 or too long.
 */
export async function* textLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<TextLine[]> {
  let number = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const lines: TextLine[] = [];
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      lines.push(toLine(bytes.subarray(start, end), ++number));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > LONGEST) throw new DatasetError(number + 1, `is longer than ${LONGEST} bytes`);
    yield lines.filter((line) => line.text !== "");
  }
  const last = toLine(rest, number + 1);
  if (last.text !== "") yield [last];
}

function toLine(bytes: Buffer, number: number): TextLine {
  if (bytes.length > LONGEST) throw new DatasetError(number, `is longer than ${LONGEST} bytes`);
  if (!isUtf8(bytes)) throw new DatasetError(number, "is not valid UTF-8");
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return { number, text: number === 1 ? text.replace(/^\uFEFF/, "") : text };
}

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
