import type { PlaygroundQuestion } from "./schema.ts";

export type Given = Record<string, unknown>;

/** The text values of a context, and the names of the others. */
export function cleaned({ properties, ...given }: PlaygroundQuestion["context"]) {
  const [texts, others] = [true, false].map((isText) =>
    Object.entries(given).filter(([, value]) => (typeof value === "string") === isText),
  ) as [Array<[string, string]>, Array<[string, unknown]>];
  return { texts, properties, ignored: others.map(([name]) => name) };
}
export type Cleaned = ReturnType<typeof cleaned>;

export const toGiven = ({ texts, properties }: Cleaned): Given => ({
  ...Object.fromEntries(texts),
  ...(properties && { properties }),
});

/** The parts of each value. Top-level fields win over properties of the same name. */
const choices = ({ texts, properties = {} }: Cleaned) =>
  Object.entries({ ...properties, ...Object.fromEntries(texts) }).map(
    ([name, value]) => [name, value.split(",").map((part) => part.trim())] as const,
  );

/** How many contexts the values with commas expand to. */
export const countContexts = (context: Cleaned): number =>
  choices(context).reduce((product, [, parts]) => product * parts.length, 1);

/** Every combination of the parts of all values; the first value changes fastest (original). */
export const contextsIn = (context: Cleaned): Given[] =>
  choices(context).reduceRight<Given[]>(
    (made, [name, parts]) => made.flatMap((one) => parts.map((part) => ({ [name]: part, ...one }))),
    [{}],
  );
