import { MASK } from "../../mask.ts";
import { providerByName } from "./providers.ts";

type Parameters = Record<string, unknown>;

/**
 * The parameters of an integration without secrets. Shown is what the provider's definition says is no secret;
 * anything else, such as a parameter of an unknown provider or a value that holds others, may be one.
 */
export function maskedParameters(provider: string, parameters: Parameters): Parameters {
  const declared = providerByName(provider)?.parameters ?? [];
  const shown = new Set(declared.filter(({ sensitive }) => !sensitive).map(({ name }) => name));
  const masked = Object.entries(parameters).map(([name, value]) =>
    shown.has(name) && typeof value !== "object" ? [name, value] : [name, MASK],
  );
  return Object.fromEntries(masked);
}
