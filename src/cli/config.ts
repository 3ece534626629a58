import fs from "node:fs";
import net from "node:net";
import { distance } from "fastest-levenshtein";
import * as v from "valibot";
import { LOG_LEVELS, type Log } from "../lib/logger.ts";
import { UsageError } from "../lib/usage-error.ts";
import { check } from "../lib/validation.ts";

/** An option of a command. */
export interface Option {
  /** The placeholder for the value in help; without one, the option is a switch. */
  hint?: string;
  /** May be given more than once. */
  multiple?: true;
  /** A single letter, used after one dash. */
  short?: string;
  help: string;
}

/** An operator's setting: an option, or else `FLAGSTONE_…` in the environment, or else the default. */
export interface Setting extends Option {
  /** Its help text in commands that don't serve. */
  helpElsewhere?: string;
  /** Without one, an empty text; a switch is off. */
  default?: string;
  /** By default, any text. */
  schema?: v.GenericSchema;
  /** The value may be secret: errors don't repeat it. */
  isSecret?: true;
}

const ADDRESS_RULE = "must be an address such as https://flags.example.com";

/** A host, with or without a port, or a block of addresses. */
const PRIVATE_TARGET = /^(\*|[\w.:-]{1,253}(\/\d{1,3})?)$/;

const HOST = /^(?!-)[\d.:A-Za-z-]{1,253}(?<!-)$/;

const WithoutSlash = v.pipe(
  v.string(),
  v.transform((text) => text.replace(/\/$/, "")),
);

const numberFrom = (min: number, max: number, message: string) =>
  v.pipe(
    v.string(),
    v.regex(/^\d{1,5}$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );

/** Texts separated by commas. */
const list = () =>
  v.pipe(
    v.string(),
    v.transform((text) => text.split(",").map((item) => item.trim())),
    v.filterItems((item) => item !== ""),
  );

/** Proxies and servers disagree on underscores. */
const HeaderName = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9-]*$/, "must be the name of a header: letters, digits and dashes"),
  v.check(
    (name) => !/^(authorization|cookie|host|x-api-key|x-forwarded-for)$/i.test(name),
    "must be a header of its own",
  ),
  v.toLowerCase(),
);

const NETWORK_RULE = "must be addresses or ranges such as 10.0.0.0/8";

/** An address, or a range. */
function isNetwork(text: string) {
  const [address = "", bits, ...rest] = text.split("/");
  const most = net.isIP(address) === 6 ? 128 : 32;
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  return net.isIP(address) !== 0 && !address.includes("%") && isRange && rest.length === 0;
}

const IDLE_RULE = "must be a number of minutes from 5 to 43200, which is 30 days";

export const SETTINGS = {
  host: {
    hint: "ADDRESS",
    help: "listen on this address; 0.0.0.0 for all",
    helpElsewhere: "the address that the server listens on",
    default: "127.0.0.1",
    schema: v.pipe(v.string(), v.regex(HOST, "must be a host name or an address")),
  },
  port: {
    short: "p",
    hint: "NUMBER",
    help: "listen on this port; 0 for any free one",
    helpElsewhere: "the port that the server listens on",
    default: "4242",
    schema: numberFrom(0, 65535, "must be a number from 0 to 65535"),
  },
  data: {
    hint: "FILE",
    help: "store everything in this file",
    helpElsewhere: "the data file",
    default: "flagstone.db",
    schema: v.pipe(
      v.string(),
      v.check((file) => !/^$|\0|^file:|^:memory:$/.test(file), "must name a file"),
    ),
  },
  "base-path": {
    hint: "/PATH",
    help: "serve everything below this path",
    helpElsewhere: "the path below which the server serves everything",
    schema: v.pipe(WithoutSlash, v.regex(/^(\/[\w.~-]+)*$/, "must be a path such as /flags")),
  },
  "public-url": {
    hint: "URL",
    help: "the URL clients use, with the base path; makes links in responses absolute",
    helpElsewhere: "the URL clients use, with the base path",
    schema: v.pipe(
      WithoutSlash,
      v.check(
        (url) => !URL.parse(url)?.username && !URL.parse(url)?.password,
        "must not contain credentials",
      ),
      v.check((url) => !/[?#]/.test(url), "must end before a ? or #"),
      v.regex(/^$|^https?:\/\/[\w.~:[\]-]+(\/[\w.~-]+)*$/, ADDRESS_RULE),
      v.check((url) => url === "" || URL.canParse(url), ADDRESS_RULE),
    ),
    isSecret: true,
  },
  "tls-cert": {
    hint: "FILE",
    help: "serve HTTPS with this certificate chain (PEM)",
    helpElsewhere: "connect with HTTPS and trust this certificate, the server's own (PEM)",
  },
  "tls-key": { hint: "FILE", help: "the certificate's private key (PEM)" },
  "trust-proxy": { help: "trust the client addresses reported by the proxy in front" },
  metrics: { help: "serve Prometheus metrics at /internal-backstage/prometheus" },
  "usage-hours": {
    hint: "NUMBER",
    help: "keep usage data for this many hours",
    default: "48",
    schema: numberFrom(1, 8784, "must be a number of hours from 1 to 8784, which is a year"),
  },
  "session-hours": {
    hint: "NUMBER",
    help: "sign people out this many hours after they signed in",
    default: "48",
    schema: numberFrom(1, 8784, "must be a number of hours from 1 to 8784, which is a year"),
  },
  "session-idle-minutes": {
    hint: "NUMBER",
    help: "also sign people out this many minutes after their last request; by default never",
    schema: v.union(
      [
        v.pipe(
          v.literal(""),
          v.transform(() => undefined),
        ),
        numberFrom(5, 43_200, IDLE_RULE),
      ],
      IDLE_RULE,
    ),
  },
  "skip-late-changes": {
    help: "don't apply scheduled changes whose time has passed while no server was running",
  },
  "second-factor-roles": {
    hint: "ROLES",
    help: "the root roles that need a second factor to sign in with a password, separated by commas",
    schema: list(),
  },
  "auth-proxy-user": {
    hint: "HEADER",
    help: "sign in whom the proxy in front names in this header",
    schema: HeaderName,
  },
  "auth-proxy-from": {
    hint: "ADDRESSES",
    help: "the only peers whose headers are believed: addresses or ranges such as 10.0.0.0/8, separated by commas",
    schema: v.pipe(list(), v.everyItem(isNetwork, NETWORK_RULE)),
  },
  "auth-proxy-email": {
    hint: "HEADER",
    help: "the header with a new user's e-mail address",
    schema: HeaderName,
  },
  "auth-proxy-name": { hint: "HEADER", help: "the header with a new user's full name", schema: HeaderName },
  "auth-proxy-groups": {
    hint: "HEADER",
    help: "the header with the groups that a user joins and leaves",
    schema: HeaderName,
  },
  "auth-proxy-groups-separator": {
    hint: "CHAR",
    default: ",",
    help: "the character that separates the groups in it",
    schema: v.pipe(v.string(), v.regex(/^[^\w\s]$/u, "must be one character such as , or |")),
  },
  "auth-proxy-create": {
    hint: "ROLE",
    help: "create users whom the proxy names, with this root role; by default, they are refused",
  },
  "auth-proxy-logout": {
    hint: "URL",
    help: "where signing out leads those whom the proxy has signed in",
    schema: v.pipe(
      v.string(),
      v.regex(/^$|^https?:\/\/\S+$|^\/(?![/\\])\S*$/, "must be a URL, or a path that begins with a slash"),
    ),
  },
  "allow-private-targets": {
    hint: "HOSTS",
    help: "also deliver to, and ask as a sign-in provider, these private hosts or address ranges, separated by commas; * for all",
    schema: v.pipe(
      list(),
      v.everyItem(
        (host) => PRIVATE_TARGET.test(host),
        "must be names, addresses or ranges such as 10.0.0.0/8",
      ),
    ),
  },
  "delivery-ca": {
    hint: "FILE",
    help: "also trust this certificate authority for deliveries and the sign-in provider (PEM)",
  },
  "delivery-folder": {
    hint: "FOLDER",
    help: "the folder for integrations of the type file; by default next to the data file",
  },
  "keep-integration-events": {
    hint: "DAYSd|NUMBER",
    help: "keep delivery records for this many days, or this many per integration; by default all",
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
  inbox: { help: "accept deliveries at /inbox/NAME and list them there, for testing integrations" },
  "secret-key-file": {
    hint: "FILE",
    help: "the key that encrypts secrets in the data file; by default next to that file",
  },
  "readable-token-secrets": {
    help: "keep the secrets of API tokens made from now on, encrypted, and show them in lists; without it, forget them",
  },
  "reset-links": {
    hint: "FILE",
    help: "let users request links for setting their password, and append these to this file for a mailer",
  },
  "access-log": { help: "log every request" },
  "no-ui": { help: "serve only the API, without the admin page" },
  "log-format": {
    hint: "json|pretty",
    help: "the format of log lines",
    default: "pretty",
    schema: v.picklist(["json", "pretty"], "must be json or pretty"),
  },
  "log-level": {
    hint: LOG_LEVELS.join("|"),
    help: "the least severe level to log",
    default: "info",
    schema: v.picklist(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(", ")}`),
  },
  quiet: { help: "log only failures, like --log-level error" },
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof SETTINGS;

export type Config = Readonly<{ [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> }>;

type ValueOf<S extends Setting> = S extends { schema: infer Schema extends v.GenericSchema }
  ? v.InferOutput<Schema>
  : S extends { hint: string }
    ? string
    : boolean;

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
  const { hint, default: preset = "", schema, isSecret }: Setting = SETTINGS[name];
  const isSwitch = hint === undefined;
  const variable = environmentName(name);
  const text = env[variable] || undefined; // an empty variable counts as unset
  const given = flags[name] ?? (isSwitch && text ? (SWITCH_WORDS.get(text.toLowerCase()) ?? text) : text);
  const result = isSwitch ? check(Switch, given ?? false) : check(schema ?? v.string(), given ?? preset);
  if (!result.violations) return result.value;
  const source = flags[name] === undefined ? variable : `--${name}`;
  const shown = isSecret ? "" : ` ${JSON.stringify(given)}`;
  throw new UsageError(`${source}:${shown} ${result.violations[0].message}`);
}

const Switch = v.boolean("must be true or false");

const SWITCH_WORDS = new Map([
  ...["1", "true", "yes"].map((word) => [word, true] as const),
  ...["0", "false", "no"].map((word) => [word, false] as const),
]);

/** The text of a file. @param source the option or variable that names it @throws UsageError if it can't be read */
export function readText(source: string, file: string) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${source}: the file ${file} can't be read`);
  }
}

/** The environment variables other than settings, and what they are for. */
export const VARIABLES = {
  FLAGSTONE_ADMIN_TOKEN: "The secret of the first token, at least 16 characters.",
  FLAGSTONE_ADMIN_TOKEN_FILE: "A file that contains it.",
  FLAGSTONE_TOKEN: "The token that `flag` and `tail` send to the server that they are given.",
  UPSTREAM_URL: "The server behind `flagstone edge`.",
  TOKENS: "The backend tokens with which it fetches flags from the start, separated by commas.",
  EDGE_CLIENT_SECRET: "The secret in base64url, 16 bytes or more, with which an Edge asks for its tokens.",
  OIDC_ENABLED: "true: people can sign in at the provider that the following describe (docs/sign-in.md).",
  OIDC_DISCOVER_URL: "The provider's issuer, or the address of its discovery document.",
  OIDC_CLIENT_ID: "This server's id there.",
  OIDC_CLIENT_SECRET: "Its secret there.",
  OIDC_AUTO_CREATE: "true: whoever signs in for the first time gets an account.",
  OIDC_AUTO_CREATE_EMAIL_DOMAINS: "Only with an address of these domains, separated by commas.",
  OIDC_DEFAULT_ROOT_ROLE: "Their root role: Viewer (the default), Editor or Admin.",
  OIDC_ENABLE_GROUP_SYNCING:
    "true: people join and leave the groups here that have their groups there as mappings.",
  OIDC_GROUP_JSON_PATH: "The claim with their groups, such as realm_access.roles (groups).",
  OIDC_ADD_GROUPS_SCOPE: "true: asks for the scope groups as well.",
  OIDC_ENABLE_SINGLE_SIGN_OUT: "true: signing out here ends the session there too.",
  OIDC_ACR_VALUES: "The kinds of sign-in that are accepted (acr); any by default.",
  OIDC_ID_TOKEN_SIGNING_ALGORITHM: "How ID tokens are signed: RS256 (the default), RS384 or RS512.",
  INIT_ADMIN_API_TOKENS:
    "Secrets of service tokens for a new data file, *:*.SECRET of at least 10 characters, separated by commas.",
  INIT_CLIENT_API_TOKENS:
    "The same for applications on servers, PROJECT:ENVIRONMENT.SECRET; * for all projects.",
  INIT_BACKEND_API_TOKENS: "A newer name for INIT_CLIENT_API_TOKENS.",
  INIT_FRONTEND_API_TOKENS: "The same for applications in browsers and on phones.",
  UNLEASH_DEFAULT_ADMIN_USERNAME: "The username of the first user in a new data file (admin).",
  UNLEASH_DEFAULT_ADMIN_PASSWORD:
    "The first user's password, 10 to 128 characters; without it, no password is set.",
} as const;

const PREFIX = "FLAGSTONE_";

/** Warns about misspelt variables. Others are ignored: Kubernetes sets some for a service with our name. */
export function warnAboutMisspelt(env: NodeJS.ProcessEnv, log: Log) {
  const ours = (names: string[]) =>
    names.filter((name) => name.startsWith(PREFIX)).map((name) => name.slice(PREFIX.length));
  const known = ours([...Object.keys(SETTINGS).map(environmentName), ...Object.keys(VARIABLES)]);
  for (const name of ours(Object.keys(env)).sort()) {
    const meant = known.includes(name) ? undefined : nearest(name, known);
    if (meant !== undefined)
      log({ level: "warn", message: `unknown variable ${PREFIX}${name}: did you mean ${PREFIX}${meant}?` });
  }
}

/** The most similar word; undefined if none is close enough: two typos in five letters are, two in three are not. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const limit = Math.min(Math.floor(word.length * 0.4), 3);
  const [best] = known.map((name) => ({ name, typos: typos(word, name) })).sort((a, b) => a.typos - b.typos);
  return best && best.typos <= limit ? best.name : undefined;
}

/** The number of letters to add, remove or replace; swapping two counts as one typo. */
function typos(word: string, name: string) {
  const edits = distance(word, name);
  return edits === 2 && sorted(word) === sorted(name) ? 1 : edits;
}

const sorted = (word: string) => [...word].sort().join("");
