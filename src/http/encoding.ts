import { promisify } from "node:util";
import zlib from "node:zlib";
import Negotiator from "negotiator";
import { BoundedMap } from "../lib/bounded-map.ts";

/*
 * Request bodies may be compressed, and responses are if the client accepts it.
 */

/** Shorter bodies are not worth compressing. In bytes. */
const MIN_BYTES = 1024;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** The supported encodings; they run off the event loop. */
const ENCODERS = {
  br: (body: string | Buffer) =>
    brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }).then(ownBytes),
  gzip: (body: string | Buffer) => gzip(body).then(ownBytes),
} as const;

/** Bytes that can be cached: what zlib returns, and Node's pool, are parts of 64 kB, which would stay in memory with them. */
export function ownBytes(content: string | Buffer) {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(content));
  if (typeof content === "string") bytes.write(content);
  else content.copy(bytes);
  return bytes;
}

export type Encoding = keyof typeof ENCODERS;

const ENCODINGS = Object.keys(ENCODERS) as Encoding[];

/** Clients send few distinct headers, so each is parsed once. */
const negotiated = new BoundedMap<string, { encoding: Encoding | undefined }>(100);

/** The encoding to use for an `Accept-Encoding`; undefined for none. */
export function encodingFor(header: string | null | undefined): Encoding | undefined {
  if (!header) return undefined;
  const found = negotiated.get(header) ?? { encoding: negotiate(header, [...ENCODINGS, "identity"]) };
  negotiated.set(header, found);
  return found.encoding;
}

/** Whether a stream may be compressed, for which only gzip is used. */
export const acceptsGzip = (header: string | null) =>
  header !== null && negotiate(header, ["gzip", "identity"]) === "gzip";

function negotiate(header: string, available: string[]): Encoding | undefined {
  const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
  const chosen = negotiator.encoding(available);
  return ENCODINGS.find((encoding) => encoding === chosen);
}

export const isWorthCompressing = (bytes: number) => bytes >= MIN_BYTES;

/*
 * Applications with different tokens often get the same response, over and over. Compressed content is cached by its
 * hash, and shared while it is still being compressed: 5,000 flags take 12 to 14 ms.
 */

/** The size limit of the cache, in compressed bytes; the oldest entries are evicted first. */
const MAX_BYTES = 8 * 1024 * 1024;

const cache = new BoundedMap<string, Promise<Buffer<ArrayBuffer>>>(MAX_BYTES);

/** Compresses the same content only once. @param digest identifies the content */
export function encodeOnce(encoding: Encoding, body: string | Buffer, digest: string) {
  const key = `${encoding} ${digest}`;
  const found = cache.get(key);
  if (found) return found;
  const encoded = ENCODERS[encoding](body);
  cache.set(key, encoded, 0); // until its size is known
  encoded.then(
    ({ length }) => cache.get(key) && cache.set(key, encoded, length),
    () => cache.delete(key),
  );
  return encoded;
}

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  identity: async (body) => body,
  gzip: promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
};

/** The encodings accepted for a request's body. */
export const DECODABLE: readonly string[] = Object.keys(DECODERS);

/**
 * Decompresses a body.
 * @throws RangeError (`ERR_BUFFER_TOO_LARGE`) beyond the limit in bytes, zlib's error for malformed input.
 */
export const decode = (encoding: string, body: Buffer, limit: number): Promise<Buffer> =>
  DECODERS[encoding]!(body, { maxOutputLength: limit });
