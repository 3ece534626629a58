import { distance } from "fastest-levenshtein";
import * as v from "valibot";
import { LOG_LEVELS, type Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check } from "../lib/validation.ts";

/** An operator's setting: a flag, or else `FLAGSTONE_…` in the environment, or else the default. */
export interface Setting {
  type: "string" | "boolean";
  /** The value's placeholder in help. */
  hint?: string;
  /** A one-letter alias, after a single dash. */
  short?: string;
  help: string;
  /** Its help text in commands that don't serve. */
  helpElsewhere?: string;
  default: string | false;
  schema: v.GenericSchema;
  /** False for a value that may be secret: errors don't repeat it. */
  isShown?: boolean;
}

const ADDRESS_RULE = "must be an address such as https://flags.example.com";

/** A host, with or without a port, or a block of addresses. */
const PRIVATE_TARGET = /^(\*|[\w.:-]{1,253}(\/\d{1,3})?)$/;

const HOST = /^(?!-)[\d.:A-Za-z-]{1,253}(?<!-)$/;

const HOURS = "must be a number of hours from 1 to 8784, which is a year";

export const SETTINGS = {
  host: {
    type: "string",
    hint: "ADDRESS",
    help: "listen on this address; 0.0.0.0 for all",
    helpElsewhere: "the address that the server listens on",
    default: "127.0.0.1",
    schema: v.pipe(v.string(), v.regex(HOST, "must be a host name or an address")),
  },
  port: {
    type: "string",
    short: "p",
    hint: "NUMBER",
    help: "listen on this port; 0 for any free one",
    helpElsewhere: "the port that the server listens on",
    default: "4242",
    schema: v.pipe(
      v.string(),
      v.regex(/^\d{1,5}$/, "must be a number from 0 to 65535"),
      v.transform(Number),
      v.maxValue(65535, "must be a number from 0 to 65535"),
    ),
  },
  data: {
    type: "string",
    hint: "FILE",
    help: "store everything in this file",
    helpElsewhere: "the data file",
    default: "flagstone.db",
    schema: v.pipe(
      v.string(),
      v.nonEmpty("must name a file"),
      v.check((file) => !file.includes("\0") && !/^(file:|:memory:$)/.test(file), "must name a file"),
    ),
  },
  "base-path": {
    type: "string",
    hint: "/PATH",
    help: "serve everything below this path",
    helpElsewhere: "the path below which the server serves everything",
    default: "",
    schema: v.pipe(
      v.string(),
      v.transform((path) => path.replace(/\/$/, "")),
      v.regex(/^(\/[\w.~-]+)*$/, "must be a path such as /flags"),
    ),
  },
  "public-url": {
    type: "string",
    hint: "URL",
    help: "the URL clients use, with the base path; makes links in responses absolute",
    helpElsewhere: "the URL clients use, with the base path",
    default: "",
    schema: v.pipe(
      v.string(),
      v.transform((url) => url.replace(/\/$/, "")),
      v.check(
        (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
        "must not contain credentials",
      ),
      v.check((url) => !/[?#]/.test(url), "must end before a ? or #"),
      v.regex(/^$|^https?:\/\/[\w.~:[\]-]+(\/[\w.~-]+)*$/, ADDRESS_RULE),
      v.check((url) => url === "" || URL.canParse(url), ADDRESS_RULE),
    ),
    isShown: false,
  },
  "tls-cert": {
    type: "string",
    hint: "FILE",
    help: "serve HTTPS with this certificate chain (PEM)",
    helpElsewhere: "connect with HTTPS and trust this certificate, the server's own (PEM)",
    default: "",
    schema: v.string(),
  },
  "tls-key": {
    type: "string",
    hint: "FILE",
    help: "the certificate's private key (PEM)",
    default: "",
    schema: v.string(),
  },
  "trust-proxy": {
    type: "boolean",
    help: "trust the client addresses reported by the proxy in front",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  metrics: {
    type: "boolean",
    help: "serve Prometheus metrics at /internal-backstage/prometheus",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  "usage-hours": {
    type: "string",
    hint: "NUMBER",
    help: "keep usage data for this many hours",
    default: "48",
    schema: v.pipe(
      v.string(),
      v.regex(/^\d{1,4}$/, HOURS),
      v.transform(Number),
      v.minValue(1, HOURS),
      v.maxValue(8784, HOURS),
    ),
  },
  "allow-private-targets": {
    type: "string",
    hint: "HOSTS",
    help: "also deliver to these private hosts or address ranges, separated by commas; * for all",
    default: "",
    schema: v.pipe(
      v.string(),
      v.transform((text) => text.split(",").map((host) => host.trim())),
      v.transform((hosts) => hosts.filter((host) => host !== "")),
      v.array(
        v.pipe(v.string(), v.regex(PRIVATE_TARGET, "must be names, addresses or ranges such as 10.0.0.0/8")),
      ),
    ),
  },
  "delivery-ca": {
    type: "string",
    hint: "FILE",
    help: "also trust this certificate authority for deliveries (PEM)",
    default: "",
    schema: v.string(),
  },
  "delivery-folder": {
    type: "string",
    hint: "FOLDER",
    help: "the folder for integrations of the type file; by default next to the data file",
    default: "",
    schema: v.string(),
  },
  "keep-integration-events": {
    type: "string",
    hint: "DAYSd|NUMBER",
    help: "keep delivery records for this many days, or this many per integration; by default all",
    default: "",
    schema: v.pipe(
      v.string(),
      v.regex(
        /^([1-9]\d{0,4}d|[1-9]\d{0,8})?$/,
        "must be a number of days such as 90d, or of records such as 10000",
      ),
      v.transform((text) => {
        if (text === "") return undefined;
        return text.endsWith("d") ? { days: Number(text.slice(0, -1)) } : { count: Number(text) };
      }),
    ),
  },
  inbox: {
    type: "boolean",
    help: "accept deliveries at /inbox/NAME and list them there, for testing integrations",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  "secret-key-file": {
    type: "string",
    hint: "FILE",
    help: "the key that encrypts secrets in the data file; by default next to that file",
    default: "",
    schema: v.string(),
  },
  "readable-token-secrets": {
    type: "boolean",
    help: "keep the secrets of API tokens made from now on, encrypted, and show them in lists; without it, forget them",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  "reset-links": {
    type: "string",
    hint: "FILE",
    help: "let users request links for setting their password, and append these to this file for a mailer",
    default: "",
    schema: v.string(),
  },
  "access-log": {
    type: "boolean",
    help: "log every request",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  "no-ui": {
    type: "boolean",
    help: "serve only the API, without the admin page",
    default: false,
    schema: v.boolean("must be true or false"),
  },
  "log-format": {
    type: "string",
    hint: "json|pretty",
    help: "the format of log lines",
    default: "pretty",
    schema: v.picklist(["json", "pretty"], "must be json or pretty"),
  },
  "log-level": {
    type: "string",
    hint: LOG_LEVELS.join("|"),
    help: "the least severe level to log",
    default: "info",
    schema: v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`),
  },
  quiet: {
    type: "boolean",
    help: "log only failures, like --log-level error",
    default: false,
    schema: v.boolean("must be true or false"),
  },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export type Config = Readonly<{ [Name in SettingName]: v.InferOutput<(typeof SETTINGS)[Name]["schema"]> }>;

export const environmentName = (name: string) => `FLAGSTONE_${name.toUpperCase().replaceAll("-", "_")}`;

/**
 * The settings a command uses; the others keep their defaults.
 * @throws UsageError naming the flag or the variable at fault.
 */
export function readConfig(
  used: readonly SettingName[],
  flags: Record<string, unknown>,
  env: NodeJS.ProcessEnv,
): Config {
  const names = Object.keys(SETTINGS) as SettingName[];
  const given = withoutOverridden(flags, env);
  const read = (name: SettingName) => readSetting(name, flags, used.includes(name) ? given : {});
  const config = Object.fromEntries(names.map((name) => [name, read(name)])) as Config;
  const hasLevel = flags["log-level"] !== undefined || (used.includes("log-level") && given[LEVEL]);
  return Object.freeze({ ...config, ...logSettings(config, Boolean(hasLevel)) });
}

const [LEVEL, QUIET] = ["log-level", "quiet"].map(environmentName) as [string, string];

/** `--quiet` and `--log-level` set the same thing: a flag for either overrides the variables of both. */
function withoutOverridden(flags: Record<string, unknown>, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isFlag = flags.quiet !== undefined || flags["log-level"] !== undefined;
  return isFlag ? { ...env, [LEVEL]: undefined, [QUIET]: undefined } : env;
}

function logSettings({ quiet, "log-level": level }: Config, hasLevel: boolean) {
  if (quiet && hasLevel && level !== "error") {
    throw new UsageError(`--quiet and --log-level ${level} contradict each other: give one of them`);
  }
  const isQuiet = quiet || level === "error";
  return { quiet: isQuiet, "log-level": isQuiet ? "error" : level } as const;
}

function readSetting(name: SettingName, flags: Record<string, unknown>, env: NodeJS.ProcessEnv): unknown {
  const { type, default: preset, schema, isShown = true }: Setting = SETTINGS[name];
  const variable = environmentName(name);
  const fromEnvironment = env[variable] || undefined; // an empty variable counts as unset
  const given = flags[name] ?? (type === "boolean" ? toBoolean(fromEnvironment) : fromEnvironment);
  const result = check(schema, given ?? preset);
  if (!result.violations) return result.value;
  const source = flags[name] === undefined ? variable : `--${name}`;
  const shown = isShown ? ` ${JSON.stringify(given)}` : "";
  throw new UsageError(`${source}:${shown} ${result.violations[0].message}`);
}

const toBoolean = (text: string | undefined) =>
  text === undefined
    ? undefined
    : /^(1|true|yes)$/i.test(text)
      ? true
      : /^(0|false|no)$/i.test(text)
        ? false
        : text;

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

/** The most similar word; undefined if none is close enough: two typos in five letters are, two in three are not. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.min(Math.floor(word.length * 0.4), 3);
  const near = known
    .map((name) => ({ name, typos: typos(word, name) }))
    .filter(({ typos }) => typos <= limit);
  return near.sort((a, b) => a.typos - b.typos)[0]?.name;
}

/** The number of letters to add, remove or replace; swapping two counts as one typo. */
function typos(word: string, name: string) {
  const edits = distance(word, name);
  return edits === 2 && sorted(word) === sorted(name) ? 1 : edits;
}

const sorted = (word: string) => [...word].sort().join("");
