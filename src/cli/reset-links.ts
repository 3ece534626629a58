import fs from "node:fs";
import type { Database } from "../db/statement.ts";
import { handLinksTo } from "../resources/resets/changes-handover.ts";
import type { Context } from "./command.ts";

/**
 * Appends the links that users ask for to the file of `--reset-links`, one JSON object a line, for a mailer to send on.
 * @param url where clients find the server
 * @returns what waits for those on their way
 */
export function handLinksToFile({ config, log }: Context, db: Database, url: string) {
  const file = config["reset-links"];
  if (file === "") return async () => {};
  const fail = (error: unknown) =>
    log({
      level: "error",
      message: "a link to set a password could not be handed over",
      cause: String(error),
    });
  const take = ({ createdAt, email, path }: { createdAt: string; email: string; path: string }) => {
    try {
      const line = JSON.stringify({ createdAt, email, url: url + path });
      fs.appendFileSync(file, `${line}\n`, { mode: 0o600 }); // who can read it can set passwords
    } catch (error) {
      fail(error);
    }
  };
  return handLinksTo(db, { take, fail });
}
