import { decrypt, encrypt, isEncrypted } from "../db/secrets.ts";
import type { Database } from "../db/statement.ts";
import { MASK } from "../lib/mask.ts";
import { parametersOf } from "./providers.ts";

export type Parameters = Record<string, unknown>;

interface Owner {
  id: number;
  provider: string;
}

/** The parameters as they are stored: anything that may be a secret is encrypted. */
export const encryptedParameters = (db: Database, owner: Owner, parameters: Parameters): Parameters =>
  mapSecrets(owner.provider, parameters, (value, name) =>
    encrypt(db, JSON.stringify(value), placeOf(owner, name)),
  );

/** The parameters with decrypted secrets. @throws UnreadableSecretError if the key is missing */
export const decryptedParameters = (db: Database, owner: Owner, parameters: Parameters): Parameters =>
  mapSecrets(owner.provider, parameters, (value, name) =>
    isEncrypted(value) ? JSON.parse(decrypt(db, value, placeOf(owner, name))) : value,
  );

/** Whether an older version stored a secret in plain text. */
export function hasPlainSecrets({
  provider,
  parameters,
}: {
  provider: string;
  parameters: Parameters;
}): boolean {
  let hasPlain = false;
  mapSecrets(provider, parameters, (value) => {
    hasPlain ||= !isEncrypted(value);
  });
  return hasPlain;
}

/** The parameters with masked secrets. */
export const maskedParameters = (provider: string, parameters: Parameters): Parameters =>
  mapSecrets(provider, parameters, () => MASK);

const placeOf = ({ id }: Owner, name: string) => `integration ${id} ${name}`;

/**
 * Anything that the provider's definition does not declare public counts as a secret, such as parameters of an unknown
 * provider, or values that contain other values.
 */
function mapSecrets(
  provider: string,
  parameters: Parameters,
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
