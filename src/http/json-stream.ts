import { Readable } from "node:stream";
import { nextTurn } from "../turn.ts";

/** Smaller bodies are sent whole, with their length. */
const WHOLE_BYTES = 256 * 1024;

/** Text, or its bytes if they are already encoded. */
export type Chunk = string | Buffer;

/**
 * JSON text in chunks, for responses of any length in bounded memory. Each chunk is produced once the client has read
 * the previous one, and other requests are served in between, so producing one should take only a few milliseconds.
 */
export class JsonStream {
  /** @param root prefixes our own paths */
  readonly chunks: (root: string) => Iterable<Chunk>;

  constructor(chunks: (root: string) => Iterable<Chunk>) {
    this.chunks = chunks;
  }
}

/** The whole text if it is short, otherwise a stream of its bytes. */
export function toBody({ chunks }: JsonStream, root: string): Buffer<ArrayBuffer> | Readable {
  const iterator = chunks(root)[Symbol.iterator]();
  const begin: Buffer[] = [];
  for (let size = 0; size < WHOLE_BYTES; size += begin.at(-1)!.length) {
    const next = iterator.next();
    if (next.done) return Buffer.concat(begin);
    begin.push(toBytes(next.value));
  }
  return Readable.from(rest(begin, iterator), { objectMode: false });
}

/** Ends early if the client disconnects. */
async function* rest(begin: Buffer[], iterator: Iterator<Chunk>): AsyncGenerator<Buffer> {
  try {
    yield Buffer.concat(begin.splice(0)); // release it: a slow reader's stream is long-lived
    for (;;) {
      await nextTurn();
      const next = iterator.next();
      if (next.done) return;
      yield toBytes(next.value);
    }
  } finally {
    iterator.return?.();
  }
}

const toBytes = (chunk: Chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk);
