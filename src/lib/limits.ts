/*
 * Limits on what may be stored, so that whatever was accepted can be served: a hundred events fit into one response, and
 * SQLite, which parses JSON to a depth of 1000, can parse all of ours.
 */

/** Characters in a name, a description or a message. */
export const MAX_TEXT_LENGTH = 64 * 1024;

/** Bytes of JSON: for an event, or for an object of no fixed shape. */
export const MAX_JSON_BYTES = 1024 * 1024;

/** Nesting depth of objects and lists under one key of a line or a body. */
export const MAX_JSON_DEPTH = 100;

/** What is said of a deeper one. */
export const TOO_DEEP = `must not be nested deeper than ${MAX_JSON_DEPTH} levels`;

/** Bytes of an imported line: a flag with all its strategies may be long. */
export const MAX_LINE_BYTES = 16 * 1024 * 1024;

/**
 * How many there may be (original), by the names in the configuration of its page: segments of a strategy and values of a
 * segment; strategies of a flag in an environment, constraints of a strategy, and values of a constraint; and segments.
 */
export const LIMITS = {
  segmentValues: 1000,
  strategySegments: 5,
  featureEnvironmentStrategies: 30,
  constraintValues: 250,
  constraints: 30,
  segments: 300,
} as const;

/** Tags of a flag, since each of its events repeats them; an import may bring more. */
export const MAX_TAGS = 100;

/** Tags that one request adds to flags or removes from them, each with an event. */
export const MAX_TAG_CHANGES = 5000;

/** Changes in a change request. */
export const MAX_CHANGES = 1000;

/** A value exceeds a storage limit. */
export class TooLongError extends Error {}

/**
 * @returns the value as JSON text.
 * @throws TooLongError if that exceeds the limit; `what` begins the message.
 */
export function toStoredJson(value: unknown, what: string): string {
  const text = JSON.stringify(value);
  // A UTF-16 unit takes at most three bytes, so few texts need measuring.
  if (text.length * 3 <= MAX_JSON_BYTES || Buffer.byteLength(text) <= MAX_JSON_BYTES) return text;
  throw new TooLongError(`${what}: is longer than ${MAX_JSON_BYTES} bytes as JSON`);
}

/** Whether JSON text has enough brackets to be too deep; scanning the text first is faster than walking the value. */
export function mayBeTooDeep(json: string): boolean {
  let brackets = 0;
  for (const bracket of "{[")
    for (let at = json.indexOf(bracket); at >= 0; at = json.indexOf(bracket, at + 1))
      if (++brackets > MAX_JSON_DEPTH) return true;
  return false;
}

/** Whether objects and lists are nested more deeply than allowed; it stops at the limit. */
export function isTooDeep(value: unknown, levels = MAX_JSON_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((one) => isTooDeep(one, levels - 1));
}
