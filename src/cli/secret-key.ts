import { CLI } from "../auth/actor.ts";
import type { Config } from "../config.ts";
import { useKeyFile } from "../db/secrets.ts";
import type { Database } from "../db/statement.ts";
import { write } from "../events/write.ts";
import { encryptPlainSecrets } from "../resources/integrations/changes.ts";
import { hasPlainSecrets } from "../resources/integrations/secrets.ts";
import { integrations } from "../resources/integrations/store.ts";

/** Uses the encryption key in the configured file, if any. @throws DataError if the file contains no key */
export function useConfiguredKey({ "secret-key-file": file }: Config, db: Database) {
  if (file !== "") useKeyFile(db, file);
}

/** Encrypts secrets that an older version stored in plain text. */
export function encryptOldSecrets(db: Database) {
  if (integrations(db).some(hasPlainSecrets)) write(db, CLI, encryptPlainSecrets);
}
