import * as v from "valibot";
import type { Line } from "../dataset/kind.ts";
import { EVENT_TYPES } from "../events/schema.ts";
import { JsonObject } from "../lib/validation.ts";
import {
  keep,
  lose,
  type Pull,
  read,
  readIfTold,
  readList,
  readListIfTold,
  type Thing,
  toLines,
} from "./pull-source.ts";

/*
 * The log, and the integrations with what they delivered of it.
 *
 * Pages are counted from the newest event, so each new one moves all others. Only the days before the pull began are
 * the same whenever they are asked for; what is newer is read last, page by page, and what comes twice is dropped.
 */

const PAGE = 1000;

const Event = v.looseObject({ id: v.number() });
const Page = v.object({ events: v.array(Event), total: v.number() });

/** @returns the ids of the events that came */
export async function* events(pull: Pull): AsyncGenerator<Line[], ReadonlySet<number>> {
  const ids = new Set<number>();
  let promised = 0;
  if (!(await readIfTold(pull, "search/events?limit=1&offset=0", Page, "events"))) return ids;
  for (const path of await eventPaths(pull)) {
    const { events, total } = await read(pull, path, Page);
    if (path.endsWith("offset=0")) promised += total;
    const fresh = events.filter(({ id }) => !ids.has(id)).reverse();
    for (const { id } of fresh) ids.add(id);
    yield toLines(pull, path, "event", fresh.map(toLine));
  }
  pull.counts.events = ids.size;
  lose(pull, "events", promised - ids.size, "the server promised them, but did not send them");
  return ids;
}

/** All pages, the oldest events first, each of them kept. */
async function eventPaths(pull: Pull): Promise<string[]> {
  const { projects } = pull.options;
  const today = pull.answers.source.startedAt.slice(0, 10);
  const yesterday = new Date(Date.parse(today) - 1).toISOString().slice(0, 10);
  const filter =
    projects.length === 0 ? "" : `&project=${encodeURIComponent(`IS_ANY_OF:${projects.join(",")}`)}`;
  const pageAt = (days: string) => (offset: number) =>
    `search/events?limit=${PAGE}${filter}&${days}&offset=${offset}`;
  const before = pageAt(`to=IS:${yesterday}`);
  const { total, events } = await read(pull, before(0), Page);
  // A server may have a lower limit.
  const size = events.length || PAGE;
  const old = Array.from({ length: Math.ceil(total / size) || 1 }, (_, page) => before(page * size));
  await keep(pull, "pages of events", old);
  const since = pageAt(`from=IS:${today}`);
  const recent = [since(0)];
  for (
    let offset = 0, page = await read(pull, since(0), Page);
    offset + page.events.length < page.total && page.events.length > 0;
  ) {
    offset += page.events.length;
    recent.push(since(offset));
    page = await read(pull, since(offset), Page);
  }
  return [...old.reverse(), ...recent.reverse()];
}

/** Labels and summaries are worded here; only those of types that are not known here are taken over. */
const toLine = (event: Thing) => ({
  ...event,
  ...((EVENT_TYPES as readonly unknown[]).includes(event.type) && { label: null, summary: null }),
  data: asObject(event.data),
  preData: asObject(event.preData),
});

/** Early versions recorded some data as lists. */
const asObject = (data: unknown) =>
  data == null || v.is(JsonObject, data) ? (data ?? null) : { value: data };

/** @returns their ids */
export async function* integrations(pull: Pull): AsyncGenerator<Line[], unknown[]> {
  const all = await readList(pull, "addons", "addons");
  yield toLines(pull, "addons", "integration", all);
  const secrets = all
    .flatMap(({ parameters }) => Object.values(parameters ?? {}))
    .filter((value) => value === MASK);
  lose(pull, "secrets of integrations", secrets.length, "never told: enter them again");
  return all.map(({ id }) => id);
}

/** What takes the place of a secret. */
const MASK = "*****";

/** What was delivered, of events that came. */
export async function* deliveries(
  pull: Pull,
  ids: readonly unknown[],
  known: ReadonlySet<unknown>,
): AsyncGenerator<Line[]> {
  const pathOf = (id: unknown) => `addons/${id}/events?limit=${PAGE}&offset=0`;
  await keep(pull, "deliveries", ids.map(pathOf));
  for (const id of ids) {
    const all = await readListIfTold(pull, pathOf(id), "integrationEvents", "deliveries");
    const lines = all
      .map((one) => ({
        ...one,
        eventId: v.is(Event, one.event) ? one.event.id : undefined,
      }))
      .filter(({ eventId }) => known.has(eventId))
      .reverse();
    yield toLines(pull, pathOf(id), "integrationEvent", lines);
  }
}
