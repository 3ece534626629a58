import fs from "node:fs";
import type { Database } from "../db/database.ts";
import { deliverLinksTo } from "../people/resets.ts";
import type { Context } from "./command.ts";

/**
 * Appends the reset links that users request to the file of `--reset-links`, one JSON object per line, for a mailer.
 * @param url the URL clients use
 * @returns a function that waits for writes in progress
 */
export function writeResetLinks({ config, log }: Context, db: Database, url: string) {
  const file = config["reset-links"];
  if (file === "") return async () => {};
  const message = "could not write a link for setting a password";
  const fail = (error: unknown) => log({ level: "error", message, cause: String(error) });
  const take = ({ createdAt, email, path }: { createdAt: string; email: string; path: string }) => {
    try {
      const line = JSON.stringify({ createdAt, email, url: url + path });
      fs.appendFileSync(file, `${line}\n`, { mode: 0o600 }); // anyone who can read it can set passwords
    } catch (error) {
      fail(error);
    }
  };
  return deliverLinksTo(db, { take, fail });
}
