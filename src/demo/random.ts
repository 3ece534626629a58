/** Reproducible randomness, so that the demo is always the same. */
export interface Random {
  /** A fraction, 0 ≤ x < 1. */
  fraction(): number;
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number;
  pick<T>(list: readonly T[]): T;
  /** Some different elements. */
  some<T>(list: readonly T[], count: number): T[];
  chance(probability: number): boolean;
  uuid(): string;
}

/** Mulberry32, a well-known small generator: good enough to look random, nothing more. */
export function createRandom(seed: number): Random {
  let state = seed;
  const fraction = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(fraction() * limit);
  const pick = <T>(list: readonly T[]) => list[below(list.length)]!;
  const some = <T>(list: readonly T[], count: number) => {
    const rest = [...list];
    return Array.from({ length: Math.min(count, rest.length) }, () => rest.splice(below(rest.length), 1)[0]!);
  };
  const uuid = () => {
    const hex = Array.from({ length: 32 }, () => below(16).toString(16)).join("");
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, "$1-$2-4$3-8$4-$5");
  };
  return { fraction, below, pick, some, chance: (probability) => fraction() < probability, uuid };
}

const HOUR = 60 * 60 * 1000;

/** A moment between two others, in milliseconds: mostly on a weekday, from seven to seven, in UTC. */
export function atWork(random: Random, from: number, to: number): number {
  const at = from + random.below(to - from);
  const day = new Date(at).getUTCDay();
  const hour = Math.floor(at / HOUR) % 24;
  const isWorkTime = day > 0 && day < 6 && hour >= 7 && hour < 19;
  return isWorkTime || random.chance(0.05) ? at : atWork(random, from, to);
}
