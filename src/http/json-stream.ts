import { Readable } from "node:stream";
import { nextTurn } from "../turn.ts";

/** Smaller answers are sent whole, with their length. */
const WHOLE_BYTES = 256 * 1024;

/** Text, or its bytes if they are already encoded. */
export type Piece = string | Buffer;

/**
 * A JSON text in pieces, for answers of any length in bounded memory. Each piece is taken once the client has read the
 * previous one, and other requests are served in between, so making a piece should take only a few milliseconds.
 */
export class JsonStream {
  /** @param root prefixes our own paths */
  readonly pieces: (root: string) => Iterable<Piece>;

  constructor(pieces: (root: string) => Iterable<Piece>) {
    this.pieces = pieces;
  }
}

/** The whole text if it is short, otherwise a stream of its bytes. */
export function toBody({ pieces }: JsonStream, root: string): Buffer<ArrayBuffer> | Readable {
  const iterator = pieces(root)[Symbol.iterator]();
  const begin: Buffer[] = [];
  for (let size = 0; size < WHOLE_BYTES; size += begin.at(-1)!.length) {
    const next = iterator.next();
    if (next.done) return Buffer.concat(begin);
    begin.push(toBytes(next.value));
  }
  return Readable.from(rest(begin, iterator), { objectMode: false });
}

/** Ends early if the client disconnects. */
async function* rest(begin: Buffer[], iterator: Iterator<Piece>): AsyncGenerator<Buffer> {
  try {
    yield Buffer.concat(begin.splice(0)); // release it: a slow reader's stream lives long
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

const toBytes = (piece: Piece) => (typeof piece === "string" ? Buffer.from(piece) : piece);
