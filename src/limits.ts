/*
 * What may be stored at the most, so that whatever was accepted can be answered: a hundred events fit into one
 * answer, and SQLite, which reads JSON to a depth of 1000, reads all of ours.
 */

/** Characters of a name, a description, a message. */
export const LONGEST_TEXT = 64 * 1024;

/** Bytes of JSON: of an event, or of an object of no fixed shape. */
export const LONGEST_JSON = 1024 * 1024;

/** Objects and lists within each other in what a line or a body holds under one key. */
export const DEEPEST_JSON = 100;

/** Bytes of a line that is imported: a flag with all its strategies may be long. */
export const LONGEST_LINE = 16 * 1024 * 1024;

/** What is longer than may be stored. */
export class TooLongError extends Error {}

/**
 * @returns the JSON text of the value.
 * @throws TooLongError if it is longer than may be stored; `what` begins the message.
 */
export function toStoredJson(value: unknown, what: string): string {
  const text = JSON.stringify(value);
  // A character is three bytes at the most, so that hardly any text has to be looked at.
  if (text.length * 3 <= LONGEST_JSON || Buffer.byteLength(text) <= LONGEST_JSON) return text;
  throw new TooLongError(`${what}: is longer than ${LONGEST_JSON} bytes as JSON`);
}

/** Whether JSON text has brackets enough for that; to look at the text first is faster than to go through the value. */
export function mayBeTooDeep(json: string): boolean {
  let brackets = 0;
  for (const bracket of "{[")
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1))
      if (++brackets > DEEPEST_JSON) return true;
  return false;
}

/** Whether objects and lists stand deeper within each other than may be stored; it never looks further down. */
export function isTooDeep(value: unknown, levels = DEEPEST_JSON): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  for (const key in value) if (isTooDeep(value[key as keyof typeof value], levels - 1)) return true;
  return false;
}
