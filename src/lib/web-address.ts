import normalizeUrl from "normalize-url";
import * as v from "valibot";
import { ShortText } from "./validation.ts";

/** Whether a page may link to it: never a script. */
export const isWebAddress = (text: string) => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

/** In characters. */
const MAX_LENGTH = 4000;

/**
 * A web address in the original's form: with a protocol, its parameters sorted, and without `www.` and what is only there
 * to track people.
 */
export const WebAddress = v.pipe(
  ShortText,
  v.maxLength(MAX_LENGTH, `must have ${MAX_LENGTH} characters or fewer`),
  v.transform((text) => normalized(text) ?? ""),
  v.check(isWebAddress, "must be a web address such as https://example.com"),
);

function normalized(text: string) {
  try {
    return normalizeUrl(text, { defaultProtocol: "https" });
  } catch {
    return undefined;
  }
}
