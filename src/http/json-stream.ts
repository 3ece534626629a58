import { Readable } from "node:stream";
import { nextTurn } from "../lib/background.ts";

/** In characters. */
const WHOLE = 256 * 1024;

/**
 * JSON text in chunks, for responses of any length in bounded memory. Each chunk is produced once the client has read
 * the previous one, and other requests are served in between, so producing one should take only a few milliseconds.
 * Chunks are text, since V8 frees that often; buffers outside its heap add up until it collects everything.
 */
export class JsonStream {
  /** @param root prefixes our own paths */
  readonly chunks: (root: string) => Iterable<string>;

  constructor(chunks: (root: string) => Iterable<string>) {
    this.chunks = chunks;
  }
}

/** The whole text if it is short, otherwise a stream of text. */
export function toBody({ chunks }: JsonStream, root: string): string | Readable {
  const iterator = chunks(root)[Symbol.iterator]();
  let begin = "";
  while (begin.length < WHOLE) {
    const next = iterator.next();
    if (next.done) return begin;
    begin += next.value;
  }
  return Readable.from(rest([begin], iterator), { highWaterMark: 1 });
}

/** Ends early if the client disconnects. */
async function* rest(begin: string[], iterator: Iterator<string>): AsyncGenerator<string> {
  try {
    yield begin.pop()!; // release it: a slow reader's stream is long-lived
    for (;;) {
      await nextTurn();
      const next = iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    iterator.return?.();
  }
}

/** Joins small pieces of text, since each chunk of a stream costs a turn and a write. @param length in characters */
export function* inChunks(pieces: Iterable<string>, length: number): Generator<string> {
  let chunk = "";
  for (const piece of pieces) {
    chunk += piece;
    if (chunk.length < length) continue;
    yield chunk;
    chunk = "";
  }
  if (chunk !== "") yield chunk;
}

/** Values as they come, each as JSON on a line of its own. */
export class JsonLines {
  readonly values: AsyncIterable<object>;

  constructor(values: AsyncIterable<object>) {
    this.values = values;
  }
}

/** The lines as a stream, of which each goes out as soon as it is there. */
export const toLines = ({ values }: JsonLines): Readable =>
  Readable.from(linesOf(values), { highWaterMark: 1 });

async function* linesOf(values: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const value of values) yield `${JSON.stringify(value)}\n`;
}
