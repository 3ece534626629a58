import path from "node:path";
import { removeIfUnused } from "../db/exclusive.ts";
import { isNew } from "../db/leftovers.ts";
import { lockForServing, requireNotServed } from "../db/lock.ts";
import { networkFileSystem } from "../db/network-fs.ts";
import { close, open } from "../db/open.ts";
import { toUrl } from "../http/listen.ts";
import { VERSION } from "../lib/version.ts";
import { isUntouched } from "../transfer/import.ts";
import type { Command, Context } from "./command.ts";
import { type Config, SETTINGS } from "./config.ts";
import { type FirstCredentials, firstPasswordHash, firstStart } from "./first-start.ts";
import { type Given, givenSecrets, variablesOf } from "./given.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { encryptOldSecrets, keepTokenSecrets, useConfiguredKey } from "./secret-key.ts";
import { NETWORK, publicUrl, serveUntilStopped } from "./serve-until-stopped.ts";
import { readTls } from "./tls.ts";

export const serve: Command = {
  name: "serve",
  summary: "Serve the API and the admin page from the data file, which is created if missing",
  example: "serve --port 4242 --data flags.db",
  isServer: true,
  settings: [
    ...NETWORK,
    "data",
    "secret-key-file",
    "readable-token-secrets",
    "log-format",
    "log-level",
    "quiet",
  ],
  options: OPEN_OPTION,
  async run(context) {
    const { config, world } = context;
    const given = givenSecrets(world.env);
    const tls = readTls(config);
    let isUnused = isNew(config.data);
    requireNotServed(config.data); // before opening it: opened by another hard link, it would get a second WAL
    const db = open(config.data);
    let unlock = () => {};
    try {
      unlock = lockForServing(config.data, world.pid);
      useConfiguredKey(config, db);
      encryptOldSecrets(db);
      keepTokenSecrets(context, db);
      warnAboutNetworkFs(context);
      const passwordHash = await firstPasswordHash(db, given);
      await serveUntilStopped(context, { db, tls }, (url) => {
        const created = firstStart(db, given, passwordHash);
        isUnused = false;
        if (created === undefined) logIgnored(context, variablesOf(given));
        context.print(`Flagstone ${VERSION} serves ${path.resolve(config.data)}`);
        printWelcome(context, url, created, given);
        openIfRequested(context, publicUrl(context.config, url) + (created?.link ?? "/"));
      });
    } finally {
      unlock();
      close(db);
      if (isUnused) removeIfUnused(config.data, isUntouched);
    }
  },
};

/** SQLite's locks and shared memory work on a single machine only. */
function warnAboutNetworkFs({ config, log }: Context) {
  const name = networkFileSystem(config.data);
  if (name === undefined) return;
  log({
    level: "warn",
    message: `${config.data} is on a network file system (${name}), where it can become corrupted: use a local disk`,
  });
}

/** Secrets for the first start may still be set on later ones. */
function logIgnored({ config, log }: Context, variables: string[]) {
  for (const variable of variables) {
    log({
      level: "info",
      message: `${variable} is ignored: ${config.data} is already in use and keeps its tokens`,
    });
  }
}

/** Prints the link for signing in. */
export function printLink(
  { config, print }: Context,
  url: string,
  { link, who }: { link: string; who: string },
) {
  print(`Open:  ${publicUrl(config, url)}${link}`);
  print(`       signs in ${who}, once, within 30 minutes`);
}

/** Prints the URL, and on the first start the credentials: a generated secret once, the operator's own never. */
function printWelcome(
  context: Context,
  url: string,
  credentials: FirstCredentials | undefined,
  { personal: given, admin }: Given,
) {
  const { config, print } = context;
  print(`URL:   ${url}`);
  if (credentials && !given)
    printLink(context, url, { link: credentials.link, who: `the user ${admin.username}` });
  else if (!config.quiet) print(`Open:  ${linkCommand(config, url, credentials ? admin.username : "USER")}`);
  if (credentials) {
    print(`Token: ${given?.place ?? credentials.secret}`);
    print(`       of the user ${admin.username}${given ? "" : "; it is shown only once"}`);
  }
  if (config.quiet) return;
  const shell = credentials ? (given?.shell ?? credentials.secret) : "TOKEN";
  print(`Try:   curl -H "Authorization: ${shell}" ${url}/api/admin/events`);
  if (!credentials) print(`       (create a token with flagstone token create NAME --user USER)`);
}

/** The command that prints a link for signing in to this server. */
function linkCommand(config: Config, url: string, user: string) {
  const options = [
    ...(config.data === data.default ? [] : [`--data ${config.data}`]),
    ...(publicUrl(config, url) !== DEFAULT_URL ? [`--public-url ${publicUrl(config, url)}`] : []),
  ];
  return ["flagstone user link", user, ...options].join(" ");
}

const { host, port, data } = SETTINGS;
const DEFAULT_URL = toUrl({ host: host.default, port: Number(port.default), isTls: false });
