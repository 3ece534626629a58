/** Who asks, as text: `userId`, `sessionId`, `remoteAddress`, `currentTime`, … and anything else in `properties`. */
export interface Context {
  userId?: string;
  sessionId?: string;
  appName?: string;
  environment?: string;
  remoteAddress?: string;
  currentTime?: Date;
  properties: Record<string, string>;
}

/** What has a place of its own; all else are properties. */
const NAMED = ["userId", "sessionId", "appName", "environment", "remoteAddress"];

/**
 * A context of whatever was given: text as it is, numbers and truth values as text; lists and objects count as not
 * given, and so does a time that is none. @param filled stands where nothing is given
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
    properties: bare(texts([...others, ...nested])),
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

const toText = (value: unknown): string | undefined =>
  value === null || value === undefined || value === "" || typeof value === "object"
    ? undefined
    : String(value);

function toTime(value: unknown): { currentTime?: Date } {
  const time = new Date(toText(value) ?? "");
  return Number.isNaN(time.valueOf()) ? {} : { currentTime: time };
}

/** With nothing inherited: nobody has a `constructor`. */
const bare = <T extends object>(values: T): T => Object.assign(Object.create(null), values);
