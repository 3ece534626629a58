import { isEventType } from "../events/types.ts";

/*
 * What a dataset may contain although the API would reject it: it is stored and served as it is, but must be corrected
 * before it can be changed. Each warning begins with the path.
 */

/** For a name that becomes part of URLs. */
export function* nameWarnings(path: string, name: string): Generator<string> {
  if (encodeURIComponent(name) !== name || name.length > 100)
    yield `${path}: the API accepts up to 100 letters, digits and - . _ ~ ! * ' ( )`;
}

/** For the type of an event, or of those an integration is for; such events have no label and no summary. */
export function* eventTypeWarnings(path: string, type: string): Generator<string> {
  if (!isEventType(type)) yield `${path}: ${JSON.stringify(type)} is not an event type of this version`;
}
