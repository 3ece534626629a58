import { Readable } from "node:stream";
import { nextTurn } from "../turn.ts";

/** Below this size an answer is sent whole, with its length. */
const WHOLE_BYTES = 256 * 1024;

/** Text, or its bytes where they are at hand. */
export type Piece = string | Buffer;

/**
 * A JSON text in pieces, for an answer of any length in bounded memory. Each piece is taken when the client has
 * read the one before, and other requests are served in between, so a piece should be made in few milliseconds.
 */
export class JsonStream {
  /** @param root goes before our own paths */
  readonly pieces: (root: string) => Iterable<Piece>;

  constructor(pieces: (root: string) => Iterable<Piece>) {
    this.pieces = pieces;
  }
}

/** The whole text if it is short, else a stream of its bytes. */
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

/** Ended early where the client has gone. */
async function* rest(begin: Buffer[], iterator: Iterator<Piece>): AsyncGenerator<Buffer> {
  try {
    yield Buffer.concat(begin.splice(0)); // let go of it: a slow reader's stream lives long
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
