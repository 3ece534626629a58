import type { Config } from "../config.ts";
import { useKeyFile } from "../db/secrets.ts";
import type { Database } from "../db/statement.ts";

/** Takes the key of secrets from the operator's own file, if there is one. @throws DataError if it holds none */
export function keepSecrets({ "secret-key-file": file }: Config, db: Database) {
  if (file !== "") useKeyFile(db, file);
}
