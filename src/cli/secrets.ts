import { CLI } from "../auth/actor.ts";
import { rotateKey } from "../db/secrets.ts";
import { write } from "../events/write.ts";
import { reencryptSecrets } from "../resources/integrations/changes.ts";
import type { Command } from "./command.ts";
import { counted } from "./plural.ts";
import { useConfiguredKey } from "./secret-key.ts";
import { withFile } from "./with-file.ts";

export const secretsRotate: Command = {
  name: "secrets rotate",
  summary: "Encrypt the secrets of integrations with a new key, even while a server is using the file",
  example: "secrets rotate --data flags.db",
  settings: ["data", "secret-key-file"],
  run({ config, print }) {
    withFile(config, (db) => {
      useConfiguredKey(config, db);
      let count = 0;
      rotateKey(db, () => {
        count = write(db, CLI, reencryptSecrets);
      });
      print(
        `Encrypted the secrets of ${counted(count, "integration")} with a new key; the old key is deleted`,
      );
    });
  },
};
