import fc from "fast-check";
import { day, type Flag, PROJECTS, SEGMENTS, TAGS, TYPES, WORDS } from "./any-flags.ts";

/*
 * Arbitrary searches of flags, and what they find, by filtering and sorting plain objects.
 */

const fold = (text: string) => text.normalize("NFC").toUpperCase();

/** Each criterion: its parameter, and which flags meet it. */
type Criterion = [parameter: string, isMet: (flag: Flag) => boolean];

const choice = (name: string, values: readonly string[], propertyOf: (flag: Flag) => unknown) =>
  fc
    .tuple(
      fc.constantFrom("IS", "IS_NOT", "IS_ANY_OF", "IS_NONE_OF"),
      fc.subarray([...values], { minLength: 1 }),
    )
    .map(
      ([operator, wanted]): Criterion => [
        `${name}=${operator}:${wanted}`,
        (flag) => wanted.includes(String(propertyOf(flag))) === !/NO/.test(operator),
      ],
    );

const counted = (name: string, values: readonly string[], valuesOf: (flag: Flag) => string[]) =>
  fc
    .tuple(
      fc.constantFrom("INCLUDE", "DO_NOT_INCLUDE", "INCLUDE_ALL_OF", "EXCLUDE_IF_ANY_OF", "EXCLUDE_ALL"),
      fc.subarray([...values], { minLength: 1 }),
    )
    .map(([operator, wanted]): Criterion => {
      const has = (flag: Flag) => (value: string) => valuesOf(flag).includes(value);
      const isMet = {
        INCLUDE: (flag: Flag) => wanted.some(has(flag)),
        DO_NOT_INCLUDE: (flag: Flag) => !wanted.some(has(flag)),
        INCLUDE_ALL_OF: (flag: Flag) => wanted.every(has(flag)),
        EXCLUDE_IF_ANY_OF: (flag: Flag) => !wanted.some(has(flag)),
        EXCLUDE_ALL: (flag: Flag) => !wanted.every(has(flag)),
      };
      return [`${name}=${operator}:${wanted}`, isMet[operator as keyof typeof isMet]];
    });

const since = (name: string, timeOf: (flag: Flag) => string | null) =>
  fc.tuple(fc.constantFrom("IS_BEFORE", "IS_ON_OR_AFTER"), day).map(([operator, start]): Criterion => {
    const isMet = (found: string | null) =>
      found !== null && found >= start === (operator === "IS_ON_OR_AFTER");
    return [`${name}=${operator}:${start}`, (flag) => isMet(timeOf(flag))];
  });

const words = fc
  .subarray([...WORDS, "-1", "a", "ss"], { minLength: 1, maxLength: 2 })
  .map(
    (wanted): Criterion => [
      `query=${encodeURIComponent(wanted.join())}`,
      ({ name, description }) =>
        wanted.some((word) => [name, description ?? ""].some((text) => fold(text).includes(fold(word)))),
    ],
  );

const status = fc
  .tuple(fc.constantFrom("development", "production"), fc.boolean())
  .map(
    ([environment, enabled]): Criterion => [
      `status=${environment}:${enabled ? "enabled" : "disabled"}`,
      ({ project, on }) => PROJECTS[project].includes(environment) && on.includes(environment) === enabled,
    ],
  );

/** At most three, of different parameters. */
const criteria = fc.uniqueArray(
  fc.oneof(
    words,
    choice("project", [...Object.keys(PROJECTS), "none"], ({ project }) => project),
    choice("type", [...TYPES, "none"], ({ type }) => type),
    choice("state", ["stale", "active"], ({ stale }) => (stale ? "stale" : "active")),
    choice("createdBy", ["1", "2", "-1337"], ({ createdBy }) => createdBy),
    counted("tag", [...TAGS, "simple:none"], ({ tags }) => tags),
    counted("segment", [...SEGMENTS, "none"], ({ segments }) => segments),
    since("createdAt", ({ createdAt }) => createdAt),
    since("lastSeenAt", ({ lastSeenAt }) => lastSeenAt),
    status,
  ),
  { maxLength: 3, selector: ([parameter]) => parameter.split("=")[0] },
);

const KEYS = {
  createdAt: ({ createdAt }: Flag) => createdAt,
  name: ({ name }: Flag) => name,
  project: ({ project }: Flag) => project,
  stale: ({ stale }: Flag) => (stale ? "1" : "0"),
  archivedAt: ({ archivedAt }: Flag) => archivedAt,
  lastSeenAt: ({ lastSeenAt }: Flag) => lastSeenAt,
  "environment:production": ({ project, on }: Flag) =>
    PROJECTS[project].includes("production") ? String(on.includes("production")) : null,
};

export const aSearch = fc.record({
  criteria,
  isArchived: fc.boolean(),
  sortBy: fc.constantFrom(...(Object.keys(KEYS) as Array<keyof typeof KEYS>)),
  sortOrder: fc.constantFrom("asc", "desc"),
  favoritesFirst: fc.boolean(),
  offset: fc.nat(20),
  limit: fc.integer({ min: 1, max: 40 }),
});
export type Search = typeof aSearch extends fc.Arbitrary<infer T> ? T : never;

export const toUrl = ({ criteria, isArchived, ...rest }: Search) => {
  const parameters = [...criteria.map(([parameter]) => parameter), `archived=IS:${isArchived}`];
  const others = Object.entries(rest).map(([name, value]) => `${name}=${value}`);
  return `/api/admin/search/features?${[...parameters, ...others].join("&")}`;
};

const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The names on the page, and the total. */
export function expected(flags: readonly Flag[], search: Search) {
  const { criteria, isArchived, sortBy, sortOrder, favoritesFirst, offset, limit } = search;
  const sign = sortOrder === "desc" ? -1 : 1;
  const byKey = (a: string | null, b: string | null) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : sign * compare(a, b);
  const found = flags
    .filter((flag) => (flag.archivedAt !== null) === isArchived && criteria.every(([, isMet]) => isMet(flag)))
    .sort((a, b) => {
      const [key, other] = [KEYS[sortBy](a), KEYS[sortBy](b)];
      return (
        (favoritesFirst ? Number(b.isFavorite) - Number(a.isFavorite) : 0) ||
        byKey(key, other) ||
        compare(a.createdAt, b.createdAt) ||
        (sortBy === "createdAt" ? sign : 1) * compare(a.name, b.name)
      );
    });
  return [found.slice(offset, offset + limit).map(({ name }) => name), found.length];
}
