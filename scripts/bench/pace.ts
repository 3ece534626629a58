/** Throughput and latency; times in milliseconds. */
export interface Pace {
  /** Per second. */
  rate: number;
  p50: number;
  p99: number;
}

export function paceOf(times: number[], seconds: number): Pace {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))]!;
  return { rate: times.length / seconds, p50: at(0.5), p99: at(0.99) };
}
