import fc from "fast-check";
import { createWorld } from "./world.ts";

/*
 * Arbitrary flags of three projects, as plain objects.
 */

export const PROJECTS = { a: ["development", "production"], b: ["production"], c: ["development"] };
export const TYPES = ["release", "experiment"];
export const TAGS = ["simple:red", "simple:a:b"];
export const SEGMENTS = ["staff", "beta users"];
export const WORDS = ["cart", "CART", "menu", "ÉTÉ", "e\u0301te\u0301", "straße", "\u{1F600}", "\uE000"];

export const day = fc.integer({ min: 1, max: 9 }).map((date) => `2026-01-0${date}`);
const time = day.map((text) => `${text}T00:00:00.000Z`);
const some = <T>(values: readonly T[]) => fc.subarray([...values]);

export const aFlag = fc
  .record({
    name: fc.tuple(fc.constantFrom(...WORDS), fc.nat(99)).map((parts) => parts.join("-")),
    description: fc.constantFrom(null, ...WORDS, "the Cart's page"),
    project: fc.constantFrom(...(Object.keys(PROJECTS) as Array<keyof typeof PROJECTS>)),
    type: fc.constantFrom(...TYPES),
    stale: fc.boolean(),
    createdAt: time,
    createdBy: fc.constantFrom(1, 2, -1337),
    archivedAt: fc.option(time, { freq: 1 }),
    lastSeenAt: fc.option(time),
    on: some(["development", "production"]),
    tags: some(TAGS),
    segments: some(SEGMENTS),
    isFavorite: fc.boolean(),
  })
  .map((flag) => ({ ...flag, on: flag.on.filter((name) => PROJECTS[flag.project].includes(name)) }));
export type Flag = typeof aFlag extends fc.Arbitrary<infer T> ? T : never;

const lineOf = (flag: Flag, number: number) => {
  const [first, ...others] = PROJECTS[flag.project];
  const strategy = {
    id: `s${number}`,
    name: "default",
    segments: flag.segments.map((name) => SEGMENTS.indexOf(name) + 1),
  };
  const { lastSeenAt, archivedAt, description } = flag;
  return {
    type: flag.type,
    stale: flag.stale,
    createdAt: flag.createdAt,
    createdByUserId: flag.createdBy,
    ...(description !== null && { description }),
    ...(archivedAt !== null && { archivedAt }),
    favoritedBy: flag.isFavorite ? [3] : [],
    tags: flag.tags.map((tag) => ({ type: "simple", value: tag.slice("simple:".length) })),
    environments: [
      { name: first, strategies: [strategy], ...(lastSeenAt !== null && { lastSeenAt }) },
      ...others.map((name) => ({ name })),
    ].map((place) => ({ ...place, enabled: flag.on.includes(place.name!) })),
  };
};

/** What may happen to a flag: SQL, and the same in plain code; undefined once it is gone. */
export const CHANGES: Array<[sql: string, change: (flag: Flag) => Flag | undefined]> = [
  ["UPDATE features SET stale = 1 - stale WHERE name = :name", (flag) => ({ ...flag, stale: !flag.stale })],
  ["UPDATE features SET archived_at = NULL WHERE name = :name", (flag) => ({ ...flag, archivedAt: null })],
  [
    "UPDATE features SET name = name || 'x', folded = replace(folded, 'a', 'Xa') WHERE name = :name",
    (flag) => ({ ...flag, name: `${flag.name}x` }),
  ],
  ["UPDATE feature_environments SET enabled = 0 WHERE feature = :name", (flag) => ({ ...flag, on: [] })],
  ["DELETE FROM feature_tags WHERE feature = :name", (flag) => ({ ...flag, tags: [] })],
  ["DELETE FROM strategies WHERE feature = :name", (flag) => ({ ...flag, segments: [] })],
  ["DELETE FROM features WHERE name = :name", () => undefined],
];

/** A world with these flags. */
export function worldOf(flags: readonly Flag[]) {
  const world = createWorld();
  for (const [id, environments] of Object.entries(PROJECTS)) world.project(id, { environments });
  for (const [index, name] of SEGMENTS.entries()) world.add("segment", { id: index + 1, name });
  for (const [number, flag] of flags.entries()) world.feature(flag.name, flag.project, lineOf(flag, number));
  return world;
}
