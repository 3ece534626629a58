import type { ProviderParameter } from "./schema.ts";

type Rest = Partial<Pick<ProviderParameter, "required" | "sensitive" | "placeholder">>;

/** A parameter in a provider's definition. */
export const parameter = (
  name: string,
  displayName: string,
  type: ProviderParameter["type"],
  description: string,
  rest: Rest = {},
): ProviderParameter => ({
  name,
  displayName,
  type,
  description,
  required: false,
  sensitive: false,
  ...rest,
});

/** Never shown, since it gives access to something, such as a URL that accepts requests from anyone. */
export const SECRET = { sensitive: true } as const;
export const REQUIRED = { required: true } as const;

export const HEADERS = parameter(
  "customHeaders",
  "Extra HTTP Headers",
  "textfield",
  "Additional headers for each request: a JSON object whose keys and values are text.",
  { ...SECRET, placeholder: `{\n  "X-Team": "checkout"\n}` },
);

export const TEMPLATE = parameter(
  "bodyTemplate",
  "Body template",
  "textfield",
  "A Mustache template for the body. {{event.type}} and the like are replaced with fields of " +
    "the event, {{{eventJson}}} with all of it as a JSON string, {{eventMarkdown}} with a sentence about it.",
  { placeholder: `{\n  "what": "{{event.type}}",\n  "flag": "{{event.featureName}}"\n}` },
);
