import Mustache from "mustache";
import type { SentEvent } from "./provider.ts";

/** Escaped for use inside a JSON string. */
const withinQuotes = (value: unknown) => JSON.stringify(String(value)).slice(1, -1);

/**
 * Applies a body template to an event (original): `event`, `eventJson` as a JSON string containing the event's JSON,
 * `eventMarkdown` as a sentence. In a JSON body, values can't break out of the strings they are inserted into.
 */
export function rendered(template: string, event: SentEvent, eventMarkdown: string, contentType: string) {
  const eventJson = JSON.stringify(JSON.stringify(event));
  const escaped = /json/i.test(contentType) ? withinQuotes : String;
  return Mustache.render(template, { event, eventJson, eventMarkdown }, undefined, { escape: escaped });
}
