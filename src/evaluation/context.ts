/**
 * The evaluation context as text: `userId`, `sessionId`, `remoteAddress`, `currentTime`, … and others in `properties`.
 */
export interface Context {
  userId?: string;
  sessionId?: string;
  appName?: string;
  environment?: string;
  remoteAddress?: string;
  currentTime?: Date;
  properties: Record<string, string>;
}

/** The top-level fields; all others are properties. */
const NAMED = ["userId", "sessionId", "appName", "environment", "remoteAddress"];

/** The longest value, in characters, since the time to match a regular expression grows with it. */
const MAX_VALUE_LENGTH = 2000;

/**
 * Converts any input to a context: text is kept, numbers and booleans become text. Lists, objects, longer text and
 * invalid times count as missing. @param filled used for missing fields
 */
export function toContext(
  { properties, currentTime, ...rest }: Record<string, unknown>,
  filled: Partial<Context> = {},
): Context {
  const [named, others] = [true, false].map((wanted) =>
    Object.entries(rest).filter(([name]) => NAMED.includes(name) === wanted),
  ) as [Entries, Entries];
  const nested = Object.entries(Object(properties) as object);
  return bare({
    ...filled,
    ...texts(named),
    ...toTime(currentTime),
    properties: Object.assign(Object.create(UNREADABLE), texts([...others, ...nested])),
  });
}

type Entries = Array<[name: string, value: unknown]>;

const texts = (entries: Entries): Record<string, string> =>
  Object.fromEntries(
    entries.flatMap(([name, value]) => {
      const text = toText(value);
      return text === undefined ? [] : [[name, text]];
    }),
  );

function toText(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === "object") return undefined;
  const text = String(value);
  return text === "" || text.length > MAX_VALUE_LENGTH ? undefined : text;
}

function toTime(value: unknown): { currentTime?: Date } {
  const time = new Date(toText(value) ?? "");
  return Number.isNaN(time.valueOf()) ? {} : { currentTime: time };
}

/** The evaluator would take the object itself for the value of a field called `properties`. */
const UNREADABLE = Object.assign(Object.create(null), {
  [Symbol.toPrimitive]() {
    throw new Error("properties is not a field of the context, but contains fields");
  },
});

/** Without a prototype, so that a context never has a `constructor`. */
const bare = <T extends object>(values: T): T => Object.assign(Object.create(null), values);
