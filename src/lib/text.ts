/** Control characters, including those for terminal sequences and writing direction, and line breaks. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are intended
const CONTROL = /[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** A name may contain anything; characters that control a terminal or break a line are escaped as in JSON. */
export const printable = (text: string) =>
  text.replace(
    CONTROL,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The value of a JSON text; undefined for any other text. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Shown in place of a secret; the original uses the same mask. */
export const MASK = "*****";

/** Normalizes text for indexing and searching: upper case, since a lower-case letter can depend on its neighbours. */
export const fold = (text: string) => text.normalize("NFC").toUpperCase();
