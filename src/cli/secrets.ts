import { CLI } from "../access/actor.ts";
import { rotateKey } from "../db/secrets.ts";
import { write } from "../events/write.ts";
import { reencryptSecrets } from "../integrations/store.ts";
import { reencryptTokenSecrets } from "../people/tokens/changes-secrets.ts";
import type { Command } from "./command.ts";
import { counted } from "./plural.ts";
import { useConfiguredKey } from "./secret-key.ts";
import { withFile } from "./with-file.ts";

export const secretsRotate: Command = {
  name: "secrets rotate",
  summary:
    "Encrypt the secrets of integrations and API tokens with a new key, even while a server is using the file",
  example: "secrets rotate --data flags.db",
  settings: ["data", "secret-key-file"],
  async run({ config, print }) {
    await withFile(config, (db) => {
      useConfiguredKey(config, db);
      const counts: string[] = [];
      rotateKey(db, () =>
        write(db, CLI, (tx) => {
          counts.push(
            counted(reencryptSecrets(tx), "integration"),
            counted(reencryptTokenSecrets(tx), "token"),
          );
        }),
      );
      print(`Encrypted the secrets of ${counts.join(" and ")} with a new key; the old key is deleted`);
    });
  },
};
