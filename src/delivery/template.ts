import Mustache from "mustache";
import type { SentEvent } from "./provider.ts";

/** As it stands between the quotes of a JSON string. */
const withinQuotes = (value: unknown) => JSON.stringify(String(value)).slice(1, -1);

/**
 * What a body template makes of an event (original): `event`, `eventJson` as a JSON string that holds the event's JSON,
 * `eventMarkdown` as a sentence. In JSON, what is put in can't end the string that it is put into.
 */
export function rendered(template: string, event: SentEvent, eventMarkdown: string, contentType: string) {
  const eventJson = JSON.stringify(JSON.stringify(event));
  const escaped = /json/i.test(contentType) ? withinQuotes : String;
  return Mustache.render(template, { event, eventJson, eventMarkdown }, undefined, { escape: escaped });
}
