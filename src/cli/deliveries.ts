import fs from "node:fs";
import tls from "node:tls";
import type { Database } from "../db/database.ts";
import type { Sending } from "../http/guarded-send.ts";
import { startDispatcher } from "../integrations/dispatcher.ts";
import { PROVIDER_MS } from "../sign-in/oidc-schema.ts";
import type { Context } from "./command.ts";
import { type Config, readText } from "./config.ts";

/** The settings for deliveries to integrations. */
export const DELIVERY = [
  "allow-private-targets",
  "delivery-ca",
  "delivery-folder",
  "keep-integration-events",
  "inbox",
] as const;

/**
 * Returns a function that starts deliveries, given the server's URL; that returns a function that stops them.
 * @throws UsageError for a certificate that can't be read
 */
export function prepareDeliveries(
  { config, log, world }: Context,
  db: Database,
): (url: string) => () => Promise<void> {
  const { "public-url": publicUrl } = config;
  const settings = { db, log, env: world.env, ca: authorities(config), folder: folderOf(config, db) };
  return (url) =>
    startDispatcher({ ...settings, allowed: allowedIn(config, url), publicUrl: publicUrl || url }).stop;
}

/** How providers of identities are asked: as receivers of deliveries are. */
export const sendingTo = ({ config, world }: Context): Sending => ({
  allowed: config["allow-private-targets"],
  env: world.env,
  ca: authorities(config),
  timeoutMs: PROVIDER_MS,
});

/** With the inbox enabled, this server is a target itself. */
const allowedIn = ({ "allow-private-targets": allowed, inbox }: Config, url: string) =>
  inbox ? [...allowed, new URL(url).host] : allowed;

/** Node's default authorities plus the configured one; undefined for just the defaults. */
function authorities({ "delivery-ca": file }: Config) {
  return file === "" ? undefined : [...tls.getCACertificates("default"), readText("--delivery-ca", file)];
}

/** The folder for the provider `file`; undefined for an in-memory database. */
function folderOf({ "delivery-folder": folder }: Config, db: Database) {
  if (folder !== "" || db.memory) return folder || undefined;
  return `${fs.realpathSync(db.name)}.deliveries`;
}
