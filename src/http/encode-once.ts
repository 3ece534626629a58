import { BoundedMap } from "../bounded-map.ts";
import { type Encoding, encode } from "./encoding.ts";

/*
 * Applications with different tokens often get the same answer, and ask for it again and again. Compressed content is
 * cached by its hash, and shared while it is still being compressed.
 */

/** The size limit of the cache, in compressed bytes; the oldest entries are evicted first. */
const KEPT_BYTES = 8 * 1024 * 1024;

const kept = new BoundedMap<string, Promise<Buffer<ArrayBuffer>>>(KEPT_BYTES);

/** Compresses the same content only once. @param digest identifies the content */
export function encodeOnce(encoding: Encoding, body: string | Buffer, digest: string) {
  const key = `${encoding} ${digest}`;
  const found = kept.get(key);
  if (found) return found;
  const encoded = encode(encoding, body);
  kept.set(key, encoded, 0); // until its size is known
  encoded.then(
    ({ length }) => kept.get(key) && kept.set(key, encoded, length),
    () => kept.delete(key),
  );
  return encoded;
}
