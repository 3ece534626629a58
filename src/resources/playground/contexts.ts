import type { PlaygroundRequest } from "./schema.ts";

export type ContextValues = Record<string, unknown>;

/** The text values of a context, and the names of the others. */
export function cleanContext({ properties, ...values }: PlaygroundRequest["context"]) {
  const [texts, others] = [true, false].map((isText) =>
    Object.entries(values).filter(([, value]) => (typeof value === "string") === isText),
  ) as [Array<[string, string]>, Array<[string, unknown]>];
  return { texts, properties, ignored: others.map(([name]) => name) };
}
export type CleanContext = ReturnType<typeof cleanContext>;

export const toContextValues = ({ texts, properties }: CleanContext): ContextValues => ({
  ...Object.fromEntries(texts),
  ...(properties && { properties }),
});

/** The parts of each value. Top-level fields win over properties of the same name. */
const choices = ({ texts, properties = {} }: CleanContext) =>
  Object.entries({ ...properties, ...Object.fromEntries(texts) }).map(
    ([name, value]) => [name, value.split(",").map((part) => part.trim())] as const,
  );

/** How many contexts the values with commas expand to. */
export const countContexts = (context: CleanContext): number =>
  choices(context).reduce((product, [, parts]) => product * parts.length, 1);

/** Every combination of the parts of all values; the first value changes fastest (original). */
export const contextsIn = (context: CleanContext): ContextValues[] =>
  choices(context).reduceRight<ContextValues[]>(
    (combinations, [name, parts]) =>
      combinations.flatMap((combination) => parts.map((part) => ({ [name]: part, ...combination }))),
    [{}],
  );
