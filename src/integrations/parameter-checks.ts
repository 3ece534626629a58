import { templateProblem } from "../lib/template.ts";

/** Describes what is wrong with a parameter, by its name, for all providers; undefined if nothing is. */
export const PARAMETER_CHECKS: Readonly<Record<string, (text: string) => string | undefined>> = {
  url: (text) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/.test(url.protocol)) return "must be an address such as https://example.com/hook";
    return url.username || url.password ? "must not contain credentials: give them as a header" : undefined;
  },
  bodyTemplate: templateProblem,
  signingSecret: signingSecretProblem,
  previousSigningSecret: signingSecretProblem,
  file: (text) =>
    /^[\w-]{1,64}$/.test(text) ? undefined : "must be 1 to 64 letters, digits, - or _, without an extension",
};

/** As defined by Standard Webhooks. */
function signingSecretProblem(text: string) {
  const [, base64 = ""] = /^whsec_([\w+/]+={0,2})$/.exec(text) ?? [];
  const { length } = Buffer.from(base64, "base64");
  return length >= 24 && length <= 64 ? undefined : "must be whsec_ and 24 to 64 bytes in base64";
}
