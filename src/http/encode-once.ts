import { type Encoding, encode } from "./encoding.ts";

/*
 * Applications with different tokens often get the same answer, and ask for it again and again. Compressed content is
 * cached by its hash, and shared while it is still being compressed.
 */

/** The size limit of the cache, in compressed bytes; the oldest entries are evicted first. */
const KEPT_BYTES = 8 * 1024 * 1024;

interface Kept {
  encoded: Promise<Buffer<ArrayBuffer>>;
  /** 0 until it is known. */
  size: number;
}

const kept = new Map<string, Kept>();
let total = 0;

/** Compresses the same content only once. @param digest identifies the content */
export function encodeOnce(encoding: Encoding, body: string | Buffer, digest: string) {
  const key = `${encoding} ${digest}`;
  const found = kept.get(key);
  if (found) return found.encoded;
  const encoded = encode(encoding, body);
  kept.set(key, { encoded, size: 0 });
  encoded.then(
    ({ length }) => settle(key, length),
    () => kept.delete(key),
  );
  return encoded;
}

function settle(key: string, size: number) {
  const one = kept.get(key);
  if (!one) return;
  one.size = size;
  total += size;
  for (const [oldest, { size }] of kept) {
    if (total <= KEPT_BYTES) break;
    total -= size;
    kept.delete(oldest);
  }
}
