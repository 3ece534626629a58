import { BoundedMap } from "../lib/bounded-map.ts";
import { type Encoding, encode } from "./encoding.ts";

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
  const encoded = encode(encoding, body);
  cache.set(key, encoded, 0); // until its size is known
  encoded.then(
    ({ length }) => cache.get(key) && cache.set(key, encoded, length),
    () => cache.delete(key),
  );
  return encoded;
}
