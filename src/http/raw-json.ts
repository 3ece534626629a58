import crypto from "node:crypto";

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

  toText(_root: string) {
    return this.text;
  }

  /** Only for `toJson`: a mark where the text goes. */
  toJSON() {
    return MARK + (texts.push(this) - 1);
  }
}

/** A path on this server, such as a picture's; answered with what goes before it, which only the answer knows. */
export class OwnPath extends RawJson<string> {
  readonly path: string;

  constructor(path: string) {
    super("");
    this.path = path;
  }

  override toText(root: string) {
    return JSON.stringify(root + this.path);
  }

  /** A plain text needs no mark. */
  override toJSON() {
    return rootNow + this.path;
  }
}

/** A `T` in which any part may be given as its JSON text. */
export type Wire<T> =
  | RawJson<T>
  | (T extends ReadonlyArray<infer E> ? Wire<E>[] : T extends object ? { [K in keyof T]: Wire<T[K]> } : T);

/** Where a text goes, in what `JSON.stringify` writes; no value holds this by chance. */
const MARK = crypto.randomUUID();
const PLACE = new RegExp(`"${MARK}(\\d+)"`, "g");

/** The texts of the value that is being written, in order; writing never waits, so one list does. */
let texts: RawJson[] = [];
let rootNow = "";

/**
 * `JSON.stringify`, but for the parts that are text already.
 * @param root goes before our own paths
 * @param without properties that are left out
 */
export function toJson(value: unknown, root = "", without: readonly string[] = []): string {
  texts = [];
  rootNow = root;
  const skeleton = JSON.stringify(value, without.length > 0 ? leaving(without) : undefined);
  const parts = texts;
  if (parts.length === 0) return skeleton;
  return skeleton.replace(PLACE, (_, index: string) => parts[Number(index)]!.toText(root));
}

const leaving = (without: readonly string[]) => (key: string, value: unknown) =>
  without.includes(key) ? undefined : value;
