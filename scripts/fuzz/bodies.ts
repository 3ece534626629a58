import zlib from "node:zlib";
import fc from "fast-check";

/*
 * Request bodies: compressed or not, complete or not, with a content length or chunked.
 */

export interface Body {
  headers: readonly string[];
  bytes: Buffer;
}

const ENCODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

/** 50 MB that compress to a few kilobytes. */
const bomb = Buffer.alloc(50_000_000, " ");
const BOMBS = new Map<string, Buffer>();

function bombFor(encoding: string) {
  if (!BOMBS.has(encoding)) BOMBS.set(encoding, ENCODERS[encoding]!(bomb));
  return BOMBS.get(encoding)!;
}

const compressed = (text: string) =>
  fc
    .tuple(fc.constantFrom("gzip", "deflate", "br"), fc.constantFrom("whole", "cut", "more", "bomb", "wrong"))
    .map(([encoding, how]) => {
      const whole = how === "bomb" ? bombFor(encoding) : ENCODERS[encoding]!(Buffer.from(text));
      const bytes = {
        whole,
        bomb: whole,
        cut: whole.subarray(0, whole.length / 2),
        more: Buffer.concat([whole, whole]),
        wrong: Buffer.from(text),
      }[how]!;
      return { headers: [`content-encoding: ${encoding}`], bytes };
    });

const plain = (text: string) =>
  fc
    .constantFrom([], ["content-encoding: identity"], ["content-encoding: rot13"])
    .map((headers) => ({ headers, bytes: Buffer.from(text) }));

/** Around and above the size limit of bodies. */
const huge = fc
  .integer({ min: 1_048_570, max: 3_000_000 })
  .map((size) => ({ headers: [], bytes: Buffer.alloc(size, " ") }));

const chunks = (bytes: Buffer, size: number) => {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
};

/** In chunks of `size`, or with a content length if it is null. */
const framed = ({ headers, bytes }: Body, size: number | null): Body =>
  size === null
    ? { headers: [...headers, `content-length: ${bytes.length}`], bytes }
    : { headers: [...headers, "transfer-encoding: chunked"], bytes: chunks(bytes, size) };

const TYPES = [
  "application/json",
  "application/json; charset=utf-8",
  "application/json; charset=latin1",
  "text/plain",
  "",
];

const type = fc.oneof(
  { weight: 5, arbitrary: fc.constant(TYPES[0]!) },
  { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
);

const size = fc.option(fc.constantFrom(1000, 65_536, 1), { freq: 3 });

/** The text as a body, in a random encoding and framing. */
export const bodyOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Body> =>
  fc
    .tuple(
      text.chain((one) =>
        fc.oneof(
          { weight: 8, arbitrary: plain(one) },
          { weight: 3, arbitrary: compressed(one) },
          { weight: 1, arbitrary: huge },
        ),
      ),
      type,
      size,
    )
    .map(([body, mime, chunk]) => {
      const { headers, bytes } = framed(body, chunk === 1 && body.bytes.length > 5000 ? 1000 : chunk);
      return { headers: [...headers, ...(mime === "" ? [] : [`content-type: ${mime}`])], bytes };
    });
