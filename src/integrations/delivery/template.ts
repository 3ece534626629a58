import { renderTemplate } from "../../lib/template.ts";
import type { SentEvent } from "./provider.ts";

/** Escaped for use inside a JSON string. */
const withinQuotes = (text: string) => JSON.stringify(text).slice(1, -1);

/**
 * Applies a body template to an event (original): `event`, `eventJson` as a JSON string containing the event's JSON,
 * `eventMarkdown` as a sentence. In a JSON body, values can't break out of the strings they are inserted into.
 * @throws Error that says why the template can't be rendered
 */
export function rendered(template: string, event: SentEvent, eventMarkdown: string, contentType: string) {
  const eventJson = JSON.stringify(JSON.stringify(event));
  const escaped = /json/i.test(contentType) ? withinQuotes : String;
  try {
    return renderTemplate(template, { event, eventJson, eventMarkdown }, escaped);
  } catch (error) {
    throw new Error(`The body template ${(error as Error).message}`);
  }
}
