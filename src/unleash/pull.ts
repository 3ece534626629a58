import { setTimeout } from "node:timers/promises";
import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import type { Database } from "../db/database.ts";
import { close, IN_MEMORY, open } from "../db/open.ts";
import { leavesFlags } from "../events/schema.ts";
import type { Log } from "../lib/logger.ts";
import { importLines, replaceFlags } from "../transfer/import.ts";
import { applications, usage } from "./pull-applications.ts";
import { definitions, environments, settings } from "./pull-definitions.ts";
import { flags, projectRoles, projects, wantedProjects } from "./pull-flags.ts";
import { deliveries, events, integrations } from "./pull-log.ts";
import { people } from "./pull-people.ts";
import { ADMIN, keep, type Loss, type Pull, read, readIfTold, Thing } from "./pull-source.ts";

/**
 * Reads all that comes along, so that `pulledLines` finds it kept. What was read before an interruption is only asked
 * for again if the server's log says that it has changed.
 * @throws Error naming the server and what to do
 */
export async function readAll(pull: Pull): Promise<void> {
  const { answers } = pull;
  if (answers.source.event === null) answers.includes(await newestEvent(pull));
  const newest = await forgetChanged(pull);
  for await (const _ of pulledLines(pull));
  answers.includes(newest);
}

/** All that comes along, in an order in which it can be imported, and what was counted and lost on the way. */
export async function* pulledLines(pull: Pull): AsyncGenerator<Line[]> {
  Object.assign(pull, { losses: [], counts: {} });
  await keep(pull, "the server", [
    "ui-config",
    "instance-admin/statistics",
    "environments",
    "projects",
    "user",
  ]);
  yield* environments(pull);
  if (pull.options.onlyFlags) yield* content(pull, new Set());
  else yield* everything(pull);
}

const NEVER_TOLD: readonly Loss[] = [
  { what: "personal tokens", reason: "never told: their owners create new ones" },
  { what: "favourites and notifications of others", reason: "only told to themselves" },
];

async function* everything(pull: Pull): AsyncGenerator<Line[]> {
  pull.losses.push(...NEVER_TOLD);
  const users = yield* people(pull);
  const recent = yield* content(pull, users);
  yield* settings(pull);
  const ids = yield* integrations(pull);
  if (pull.options.withEvents) yield* deliveries(pull, ids, yield* events(pull));
  yield* applications(pull);
  yield* usage(pull, recent);
}

/** @returns the names of flags that are in use */
async function* content(pull: Pull, users: ReadonlySet<unknown>): AsyncGenerator<Line[], string[]> {
  const list = await wantedProjects(pull);
  const fans = (await ownId(pull)).filter((id) => users.has(id));
  yield* projects(pull, list, fans);
  if (!pull.options.onlyFlags) yield* projectRoles(pull, list, users);
  yield* definitions(pull, list);
  return yield* flags(pull, list, fans);
}

/** The user whom the token belongs to: only their favourites are told. */
async function ownId(pull: Pull): Promise<number[]> {
  const { user } = await read(pull, "user", v.object({ user: Thing }));
  return typeof user.id === "number" ? [user.id] : [];
}

const Statistics = v.looseObject({ apiTokens: v.nullish(v.record(v.string(), v.number()), {}) });

/** What of the server's own figures is counted here: the noun, how many it promised, and how many came. */
export interface Comparison {
  noun: string;
  promised: number;
  came: number;
}

/** Compares what was read with what the server says that it has; empty if it doesn't say. */
export async function comparisons(pull: Pull): Promise<Comparison[]> {
  const told = await readIfTold(pull, "instance-admin/statistics", Statistics, "what to expect");
  if (!told) return [];
  const apiTokens = Object.values(told.apiTokens!).reduce((sum, count) => sum + count, 0);
  const promised: Thing = { ...told, apiTokens };
  const isPart = (noun: string) => pull.options.projects.length > 0 && /featureToggles$/i.test(noun);
  return Object.entries(pull.counts)
    .filter(([noun]) => typeof promised[noun] === "number" && !isPart(noun))
    .map(([noun, came]) => ({ noun, promised: promised[noun] as number, came }));
}

const NewestEvents = v.object({
  total: v.number(),
  events: v.array(v.looseObject({ id: v.number(), type: v.string(), featureName: v.nullish(v.string()) })),
});

const NEWEST = "search/events?limit=1&offset=0";

/** The id of the newest event that the token may see; 0 if there is none. A server may order by time, so ids may vary. */
async function newestEvent(pull: Pull) {
  pull.answers.forget((path) => path === `${ADMIN}/${NEWEST}`);
  const newest = await readIfTold(pull, NEWEST, NewestEvents, "events");
  return Math.max(0, ...(newest?.events ?? []).map(({ id }) => id));
}

/** Whether the log has an event that the answers don't include. */
const hasChanged = async (pull: Pull) => (await newestEvent(pull)) > (pull.answers.source.event ?? 0);

/** What there may be in a log that the token may not see. */
const UNKNOWN_EVENTS: v.InferOutput<typeof NewestEvents> = { events: [], total: 1 };

const LATEST = "search/events?limit=100&offset=0";

/**
 * Makes what is read next include all that has happened: flags are only read again if they have changed, all else always,
 * since it takes few requests.
 * @returns the newest event
 */
async function forgetChanged(pull: Pull): Promise<number> {
  const { answers } = pull;
  answers.forget((path) => !isOfFlag(path) && !path.includes("&to=IS"));
  const { events, total } = (await readIfTold(pull, LATEST, NewestEvents)) ?? UNKNOWN_EVENTS;
  const included = answers.source.event ?? 0;
  const fresh = events.filter(({ id }) => id > included);
  const isMore = fresh.length === events.length && total > events.length;
  const names = new Set(fresh.map(({ featureName }) => featureName ?? ""));
  const isAny =
    isMore ||
    fresh.some(({ type, featureName }) => !featureName && (!leavesFlags(type) || type.endsWith("-deleted")));
  answers.forget((path) => isOfFlag(path) && (isAny || names.has(flagOf(path))));
  return Math.max(included, ...events.map(({ id }) => id));
}

const FLAG = /\/features\/([^/?]+)(?=[/?])/;

const isOfFlag = (path: string) => FLAG.test(path);

const flagOf = (path: string) => decodeURIComponent(FLAG.exec(path)![1]!);

interface WatchOptions {
  intervalMs: number;
  signal: AbortSignal;
  log: Log;
}

/**
 * Keeps the flags of a data file, and all they depend on, as they are on a server: whenever its log has a new event,
 * what that concerns is read, and the flags are replaced in one transaction. A server that can't be reached is asked
 * again later.
 */
export async function watch(
  db: Database,
  pull: Pull,
  { intervalMs, signal, log }: WatchOptions,
): Promise<void> {
  let trouble = "";
  while (!signal.aborted) {
    try {
      if (await hasChanged(pull)) await copyFlags(db, pull, log);
      trouble = "";
    } catch (error) {
      const { message } = error as Error;
      if (!signal.aborted && message !== trouble) log({ level: "warn", message });
      trouble = message;
    }
    await setTimeout(intervalMs, undefined, { signal }).catch(() => {});
  }
}

/** Makes the flags of a file the same as those of the server. */
export async function copyFlags(db: Database, pull: Pull, log: Log): Promise<void> {
  const ofFlags = { ...pull, options: { ...pull.options, onlyFlags: true } };
  await readAll(ofFlags);
  const copy = open(IN_MEMORY);
  try {
    await importLines(copy, pulledLines(ofFlags));
    replaceFlags(db, copy);
  } finally {
    close(copy);
  }
  log({ level: "info", message: `copied what has changed on ${pull.url}` });
}
