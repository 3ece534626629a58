import type { Database } from "../db/database.ts";
import { decrypt, encrypt, isEncrypted, UnreadableSecretError } from "../db/secrets.ts";
import { invalid } from "../lib/api-error.ts";
import { templateProblem } from "../lib/template.ts";
import { MASK } from "../lib/text.ts";
import type { NewIntegration, ProviderParameter } from "./integrations-schema.ts";
import { PROVIDERS, parametersOf, serviceNamed } from "./providers.ts";

export type Parameters = Record<string, unknown>;

/** What an integration's secrets depend on: they can't be decrypted for another. */
interface Owner {
  id: number;
  provider: string;
  parameters: Parameters;
}

/** The parameters as they are stored: anything that may be a secret is encrypted. */
export const encryptedParameters = (db: Database, owner: Owner): Parameters =>
  mapSecrets(owner, (value, name) => encrypt(db, JSON.stringify(value), placeOf(owner, name)));

/** The parameters with decrypted secrets. @throws UnreadableSecretError if the key is missing */
export const decryptedParameters = (db: Database, owner: Owner): Parameters =>
  mapSecrets(owner, (value, name) =>
    isEncrypted(value) ? JSON.parse(decrypt(db, value, placeOf(owner, name))) : value,
  );

const placeOf = ({ id }: Owner, name: string) => `integration ${id} ${name}`;

export function hasPlainSecrets(owner: Owner): boolean {
  let hasPlain = false;
  mapSecrets(owner, (value) => {
    hasPlain ||= !isEncrypted(value);
  });
  return hasPlain;
}

export const maskedParameters = (owner: Omit<Owner, "id">): Parameters => mapSecrets(owner, () => MASK);

/**
 * Anything that the provider's definition does not declare public counts as a secret, such as parameters of an unknown
 * provider, or values that contain other values.
 */
function mapSecrets(
  { provider, parameters }: Omit<Owner, "id">,
  map: (value: unknown, name: string) => unknown,
): Parameters {
  const declared = parametersOf(provider);
  const shown = new Set(declared.filter(({ sensitive }) => !sensitive).map(({ name }) => name));
  const isShown = (name: string, value: unknown) =>
    shown.has(name) && typeof value !== "object" && !isEncrypted(value);
  const mapped = Object.entries(parameters).map(([name, value]) =>
    isShown(name, value) ? [name, value] : [name, map(value, name)],
  );
  return Object.fromEntries(mapped);
}

/**
 * Checks the requested properties. @returns them with stored secrets in place of masked ones
 * @throws ApiError `ValidationError` for an unknown provider and invalid parameters
 */
export function requireValidIntegration(
  db: Database,
  integration: NewIntegration,
  stored?: Owner,
): NewIntegration {
  if (!serviceNamed(integration.provider)) {
    const known = PROVIDERS.map(({ name }) => name).join(", ");
    throw invalid({ path: "body.provider", message: `must be one of ${known}` });
  }
  const parameters = unmasked(db, integration, stored);
  for (const parameter of parametersOf(integration.provider))
    requireParameter(parameter, parameters[parameter.name]);
  return { ...integration, parameters: parameters as NewIntegration["parameters"] };
}

function requireParameter({ name, required }: ProviderParameter, value: unknown) {
  const parameterError = (message: string) => invalid({ path: `body.parameters.${name}`, message });
  const text = value === undefined ? "" : String(value);
  if (required && text.trim() === "") throw parameterError("is required");
  const problem = text === "" ? undefined : CHECKS[name]?.(text);
  if (problem !== undefined) throw parameterError(problem);
}

/** Describes what is wrong with a parameter, by its name, for all providers; undefined if nothing is. */
const CHECKS: Readonly<Record<string, (text: string) => string | undefined>> = {
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

/**
 * A mask stands for the stored secret (original). If its destination changes, it must be given again: otherwise anyone
 * who can change the destination but doesn't know the secret could have it sent to a server of their own.
 */
function unmasked(db: Database, integration: NewIntegration, stored?: Owner): Parameters {
  const { parameters } = integration;
  const masked = Object.keys(parameters).filter((name) => parameters[name] === MASK);
  if (masked.length === 0) return parameters;
  const secrets = stored ? secretsOf(db, stored, masked[0]!) : {};
  const given = { ...parameters, ...Object.fromEntries(masked.map((name) => [name, secrets[name]])) };
  const isMoved =
    integration.provider !== stored?.provider ||
    DESTINATION.some((name) => (given[name] ?? "") !== (secrets[name] ?? ""));
  for (const name of masked) {
    const path = `body.parameters.${name}`;
    if (secrets[name] === undefined)
      throw invalid({ path, message: "is masked, but no secret is stored: give it in full" });
    if (isMoved)
      throw invalid({ path, message: "is masked, but its destination has changed: give it again" });
  }
  return given;
}

/** What decides where a request goes: a header may name another host behind the same address. */
const DESTINATION = ["url", "customHeaders"];

function secretsOf(db: Database, stored: Owner, name: string) {
  try {
    return decryptedParameters(db, stored);
  } catch (error) {
    if (!(error instanceof UnreadableSecretError)) throw error;
    throw invalid({ path: `body.parameters.${name}`, message: "can no longer be read: give it again" });
  }
}
