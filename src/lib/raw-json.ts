import crypto from "node:crypto";

/**
 * JSON text already in its wire form, standing in for the value it describes. Rows store such text (an event's, a
 * strategy's constraints), and responses embed it without parsing it.
 */
export class RawJson<T = unknown> {
  /** For the compiler only: what the text describes. */
  declare readonly value: T;
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toText(_root: string) {
    return this.text;
  }

  /** For `toJson` only: a placeholder for the text. */
  toJSON() {
    return MARK + (texts.push(this) - 1);
  }
}

/** A path on this server, such as an avatar's; the prefix is added when the response is serialized. */
export class OwnPath extends RawJson<string> {
  readonly path: string;

  constructor(path: string) {
    super("");
    this.path = path;
  }

  override toText(root: string) {
    return JSON.stringify(root + this.path);
  }

  /** A plain text needs no placeholder. */
  override toJSON() {
    return rootNow + this.path;
  }
}

/** A `T` any part of which may be given as JSON text. */
export type Wire<T> =
  | RawJson<T>
  | (T extends ReadonlyArray<infer E> ? Wire<E>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T);

/** The placeholder for a text in the output of `JSON.stringify`; random, so no value contains it by chance. */
const MARK = crypto.randomUUID();
const PLACE = new RegExp(`"${MARK}(\\d+)"`, "g");

/** The texts of the value being serialized, in order; serializing is synchronous, so one list is enough. */
let texts: RawJson[] = [];
let rootNow = "";

/**
 * `JSON.stringify`, except that parts that are already JSON text are inserted as they are.
 * @param root prefixes our own paths
 * @param without properties to leave out
 */
export function toJson(value: unknown, root = "", without: readonly string[] = []): string {
  texts = [];
  rootNow = root;
  const skeleton = JSON.stringify(value, without.length > 0 ? omitting(without) : undefined);
  const parts = texts;
  if (parts.length === 0) return skeleton;
  return skeleton.replace(PLACE, (_, index: string) => parts[Number(index)]!.toText(root));
}

const omitting = (without: readonly string[]) => (key: string, value: unknown) =>
  without.includes(key) ? undefined : value;
