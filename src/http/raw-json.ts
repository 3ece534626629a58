/**
 * JSON text that is already in the form of the wire, standing for the value it describes. Rows keep such text
 * (an event's, a strategy's constraints), and answers are joined from it without parsing it again.
 */
export class RawJson<T = unknown> {
  /** Only for the compiler: what the text describes. */
  declare readonly value: T;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A path on this server, such as a picture's; answered with the base path before it, which only the answer knows. */
export class OwnPath extends RawJson<string> {
  readonly path: string;

  constructor(path: string) {
    super(JSON.stringify(path));
    this.path = path;
  }

  /** For `JSON.stringify`, outside an answer. */
  toJSON() {
    return this.path;
  }
}

/** A `T` in which any part may be given as its JSON text. */
export type Wire<T> =
  | RawJson<T>
  | (T extends ReadonlyArray<infer E> ? Wire<E>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T);

/** The array that the texts of its elements make. */
export const rawArray = <T>(texts: readonly string[]) => new RawJson<T[]>(`[${texts.join(",")}]`);

/** `JSON.stringify`, but for the parts that are text already, and with the base path before our own paths. */
export function toJson(value: unknown, basePath = ""): string {
  if (value instanceof OwnPath) return JSON.stringify(basePath + value.path);
  if (value instanceof RawJson) return value.text;
  const part = (member: unknown) => toJson(member, basePath);
  if (Array.isArray(value)) return `[${value.map(part).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${part(member)}`).join(",")}}`;
}
