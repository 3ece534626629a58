import { CLI } from "../access/actor.ts";
import { reencryptSessions } from "../access/session-store.ts";
import type { Database } from "../db/database.ts";
import { rotateKey, useKeyFile } from "../db/secrets.ts";
import { write } from "../events/write.ts";
import { encryptPlainSecrets, integrations, reencryptSecrets } from "../integrations/integrations-store.ts";
import { hasPlainSecrets } from "../integrations/parameters.ts";
import { reencryptFactors } from "../people/second-factor-store.ts";
import {
  forgetSecrets,
  keepSecrets,
  keepsSecrets,
  keptSecrets,
  readableSecrets,
  reencryptTokenSecrets,
} from "../people/token-secrets.ts";
import { reencryptOidc } from "../sign-in/oidc-provider.ts";
import { type Context, command } from "./command.ts";
import type { Config } from "./config.ts";
import { dataFile } from "./data-file.ts";
import { counted } from "./output.ts";

export const secretsRotate = command({
  name: "secrets rotate",
  summary: "Encrypt all secrets in the data file with a new key, even while a server is using it",
  example: "secrets rotate --data flags.db",
  settings: ["data", "secret-key-file"],
  run({ config, print }) {
    using db = dataFile(config);
    useConfiguredKey(config, db);
    let changed = "";
    rotateKey(db, () =>
      write(db, CLI, (tx) => {
        changed = [
          counted(reencryptSecrets(tx), "integration"),
          counted(reencryptTokenSecrets(tx), "token"),
          counted(reencryptFactors(tx), "second factor"),
          counted(reencryptSessions(tx), "session"),
          `and ${counted(reencryptOidc(tx), "provider")}`,
        ].join(", ");
      }),
    );
    print(`Encrypted the secrets of ${changed} with a new key; the old key is deleted`);
  },
});

/** Uses the encryption key in the configured file, if any. @throws DataError if the file contains no key */
export function useConfiguredKey({ "secret-key-file": file }: Config, db: Database) {
  if (file !== "") useKeyFile(db, file);
}

/** Keeps the secrets of API tokens from now on, or forgets those that were kept, as configured. */
export function keepTokenSecrets({ config, log }: Pick<Context, "config" | "log">, db: Database) {
  const isOn = config["readable-token-secrets"];
  const kept = keptSecrets(db).length;
  if (isOn !== keepsSecrets(db) || (!isOn && kept > 0)) write(db, CLI, isOn ? keepSecrets : forgetSecrets);
  const unreadable = isOn ? kept - readableSecrets(db).size : 0;
  if (unreadable === 0) return;
  const message = `${counted(unreadable, "token secret")} can't be decrypted and will be masked: restore the key file`;
  log({ level: "warn", message });
}

/** Encrypts secrets that an older version stored in plain text. */
export function encryptOldSecrets(db: Database) {
  if (integrations(db).some(hasPlainSecrets)) write(db, CLI, encryptPlainSecrets);
}
