import { promisify } from "node:util";
import zlib from "node:zlib";
import Negotiator from "negotiator";

/*
 * Bodies may come compressed, and answers are compressed where the client asks for it (CONTRACT, compression).
 */

/** Shorter bodies are not worth it. In bytes. */
const WORTHWHILE = 1024;

const brotli = promisify(zlib.brotliCompress);
const gzip = promisify(zlib.gzip);

/** How an answer can be compressed; off the event loop. */
const ENCODERS = {
  br: (body: string | Buffer) => brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body: string | Buffer) => gzip(body),
} as const;

export type Encoding = keyof typeof ENCODERS;

const KNOWN = Object.keys(ENCODERS) as Encoding[];

/** Clients send few different headers; what each asks for is worked out once. */
const negotiated = new Map<string, Encoding | undefined>();
const REMEMBERED = 100;

/** How the client wants its answer compressed by its `Accept-Encoding`; undefined for not at all. */
export function encodingFor(header: string | null | undefined): Encoding | undefined {
  if (!header) return undefined;
  if (negotiated.has(header)) return negotiated.get(header);
  const encoding = negotiate(header, [...KNOWN, "identity"]);
  if (negotiated.size >= REMEMBERED) negotiated.clear();
  negotiated.set(header, encoding);
  return encoding;
}

/** The same for a stream, which is compressed by the platform's own transform. */
export const takesGzip = (header: string | null) =>
  header !== null && negotiate(header, ["gzip", "identity"]) === "gzip";

function negotiate(header: string, available: string[]): Encoding | undefined {
  const negotiator = new Negotiator({ headers: { "accept-encoding": header } });
  const chosen = negotiator.encoding(available);
  return KNOWN.find((encoding) => encoding === chosen);
}

/** Whether a body of this length is compressed at all. */
export const isWorthwhile = (bytes: number) => bytes >= WORTHWHILE;

export const encode = (encoding: Encoding, body: string | Buffer): Promise<Buffer<ArrayBuffer>> =>
  ENCODERS[encoding](body) as Promise<Buffer<ArrayBuffer>>;

type Decoder = (body: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: Readonly<Record<string, Decoder>> = {
  identity: async (body) => body,
  gzip: promisify(zlib.gunzip),
  deflate: promisify(zlib.inflate),
  br: promisify(zlib.brotliDecompress),
};

/** The encodings that a request's body may have. */
export const DECODABLE: readonly string[] = Object.keys(DECODERS);

/**
 * What a compressed body holds.
 * @throws RangeError (`ERR_BUFFER_TOO_LARGE`) beyond the limit in bytes, zlib's error for what is not so encoded.
 */
export const decode = (encoding: string, body: Buffer, limit: number): Promise<Buffer> =>
  DECODERS[encoding]!(body, { maxOutputLength: limit });
