import { nextTurn } from "../turn.ts";

/** Below this size an answer is sent whole, with its length. */
const WHOLE_BYTES = 256 * 1024;

/**
 * A JSON text in pieces, for an answer of any length in bounded memory. Each piece is taken when the client has
 * read the one before, and other requests are served in between, so a piece should be made in few milliseconds.
 */
export class JsonStream {
  /** @param root goes before our own paths */
  readonly pieces: (root: string) => Iterable<string>;

  constructor(pieces: (root: string) => Iterable<string>) {
    this.pieces = pieces;
  }
}

/** The whole text if it is short, else a stream of its bytes. */
export function toBody({ pieces }: JsonStream, root: string): string | ReadableStream<Uint8Array> {
  const iterator = pieces(root)[Symbol.iterator]();
  let begin = "";
  while (begin.length < WHOLE_BYTES) {
    const next = iterator.next();
    if (next.done) return begin;
    begin += next.value;
  }
  return toByteStream(begin, iterator);
}

function toByteStream(begin: string, iterator: Iterator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let first = begin; // let go of as soon as it is sent: a slow reader's stream lives long
  return new ReadableStream({
    start(controller) {
      controller.enqueue(encoder.encode(first));
      first = "";
    },
    async pull(controller) {
      await nextTurn();
      const next = iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(encoder.encode(next.value));
    },
    cancel: () => void iterator.return?.(),
  });
}
