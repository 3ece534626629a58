/** A map with a limit for the sum of its entries' sizes; the oldest entries are evicted first. */
export class BoundedMap<K, V> {
  readonly #limit: number;
  readonly #entries = new Map<K, { value: V; size: number }>();
  #total = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Replaces an entry with the same key, and counts as the newest. @param size in the unit of the limit */
  set(key: K, value: V, size = 1) {
    this.delete(key);
    this.#entries.set(key, { value, size });
    this.#total += size;
    for (const oldest of this.#entries.keys()) {
      if (this.#total <= this.#limit) break;
      this.delete(oldest);
    }
  }

  *values(): Iterable<V> {
    for (const { value } of this.#entries.values()) yield value;
  }

  delete(key: K) {
    this.#total -= this.#entries.get(key)?.size ?? 0;
    this.#entries.delete(key);
  }

  clear() {
    this.#entries.clear();
    this.#total = 0;
  }
}
