import type { Log } from "../lib/logger.ts";
import { environmentName, SETTINGS } from "./config.ts";
import { nearest } from "./suggest.ts";

/** The environment variables other than settings, and what they are for. */
export const VARIABLES = {
  FLAGSTONE_ADMIN_TOKEN: "The secret of the first token, at least 16 characters.",
  FLAGSTONE_ADMIN_TOKEN_FILE: "A file that contains it.",
  FLAGSTONE_TOKEN: "The token that `flag` and `tail` send to the server that they are given.",
  INIT_ADMIN_API_TOKENS:
    "Secrets of service tokens for a new data file, *:*.SECRET of at least 10 characters, separated by commas.",
  INIT_CLIENT_API_TOKENS:
    "The same for applications on servers, PROJECT:ENVIRONMENT.SECRET; * for all projects.",
  INIT_FRONTEND_API_TOKENS: "The same for applications in browsers and on phones.",
  UNLEASH_DEFAULT_ADMIN_USERNAME: "The username of the first user in a new data file (admin).",
  UNLEASH_DEFAULT_ADMIN_PASSWORD:
    "The first user's password, 10 to 128 characters; without it, no password is set.",
} as const;

const PREFIX = "FLAGSTONE_";

/** Warns about misspelt variables. Others are ignored: Kubernetes sets some for a service with our name. */
export function warnAboutMisspelt(env: NodeJS.ProcessEnv, log: Log) {
  const known = [...Object.keys(SETTINGS).map(environmentName), ...Object.keys(VARIABLES)]
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length));
  for (const name of Object.keys(env)
    .filter((name) => name.startsWith(PREFIX))
    .sort()) {
    const rest = name.slice(PREFIX.length);
    const suggestion = known.includes(rest) ? undefined : nearest(rest, known);
    if (suggestion)
      log({ level: "warn", message: `unknown variable ${name}: did you mean ${PREFIX}${suggestion}?` });
  }
}
