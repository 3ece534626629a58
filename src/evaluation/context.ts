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

/** Characters of a value: a regular expression takes time for each of them. */
const LONGEST_VALUE = 2000;

/**
 * A context of whatever was given: text as it is, numbers and truth values as text. Lists, objects, longer text and a
 * time that is none count as not given. @param filled stands where nothing is given
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

function toText(value: unknown): string | undefined {
  if (value === null || value === undefined || typeof value === "object") return undefined;
  const text = String(value);
  return text === "" || text.length > LONGEST_VALUE ? undefined : text;
}

function toTime(value: unknown): { currentTime?: Date } {
  const time = new Date(toText(value) ?? "");
  return Number.isNaN(time.valueOf()) ? {} : { currentTime: time };
}

/** With nothing inherited: nobody has a `constructor`. */
const bare = <T extends object>(values: T): T => Object.assign(Object.create(null), values);
