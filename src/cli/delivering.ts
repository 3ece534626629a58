import fs from "node:fs";
import tls from "node:tls";
import type { Config } from "../config.ts";
import type { Database } from "../db/statement.ts";
import { startDispatcher } from "../delivery/dispatcher.ts";
import type { Context } from "./command.ts";
import { readPem } from "./tls.ts";

/** The settings for deliveries to integrations. */
export const DELIVERY = [
  "allow-private-targets",
  "delivery-ca",
  "delivery-folder",
  "keep-integration-events",
  "inbox",
] as const;

/**
 * A function that starts deliveries, once it is known where the server listens, and returns a function that stops them.
 * @throws UsageError for a certificate that can't be read
 */
export function delivering(
  { config, log, world }: Context,
  db: Database,
): (url: string) => () => Promise<void> {
  const { "public-url": publicUrl } = config;
  const settings = { db, log, env: world.env, ca: authorities(config), folder: folderOf(config, db) };
  return (url) =>
    startDispatcher({ ...settings, allowed: allowedIn(config, url), publicUrl: publicUrl || url }).stop;
}

/** With the inbox, this server is a target too. */
const allowedIn = ({ "allow-private-targets": allowed, inbox }: Config, url: string) =>
  inbox ? [...allowed, new URL(url).host] : allowed;

/** The default authorities and the operator's own; undefined for the default ones alone. */
function authorities({ "delivery-ca": file }: Config) {
  return file === "" ? undefined : [...tls.getCACertificates("default"), readPem("--delivery-ca", file)];
}

/** The folder for files; a database in memory has none. */
function folderOf({ "delivery-folder": folder }: Config, db: Database) {
  if (folder !== "" || db.memory) return folder || undefined;
  return `${fs.realpathSync(db.name)}.deliveries`;
}
