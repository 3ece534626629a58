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

/** The characters in the longest of these contexts. */
export const contextLength = (context: CleanContext): number =>
  choices(context).reduce((sum, [name, parts]) => sum + name.length + longest(parts), 0);

const longest = (parts: readonly string[]) => parts.reduce((most, { length }) => Math.max(most, length), 0);

/** Every combination of the parts of all values, one by one; the first value changes fastest (original). */
export function* contextsIn(context: CleanContext): Generator<ContextValues> {
  const all = choices(context);
  const count = countContexts(context);
  for (let index = 0; index < count; index++) {
    let rest = index;
    const chosen = all.map(([name, parts]) => {
      const part = parts[rest % parts.length]!;
      rest = Math.floor(rest / parts.length);
      return [name, part];
    });
    yield Object.fromEntries(chosen);
  }
}
