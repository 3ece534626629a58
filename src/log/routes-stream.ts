import * as v from "valibot";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/statement.ts";
import { Event } from "../events/schema.ts";
import { EventText } from "../events/wire.ts";
import { operation } from "../http/operation.ts";
import { invalid } from "../lib/api-error.ts";
import { eventsAfter, newestEvent } from "./follow-store.ts";
import { LogSearch } from "./search-schema.ts";

export const streamEvents = operation({
  id: "streamEvents",
  summary: "Each event as it is recorded, as server-sent events",
  tag: "Events",
  method: "GET",
  path: "/api/admin/events/stream",
  permission: null,
  query: v.pick(LogSearch, ["type", "project", "feature", "createdBy"]),
  response: Event,
}).stream(({ db, actor, query }, since) => {
  const { type, project, feature, createdBy } = query;
  const filter = {
    types: toList(type),
    projects: toList(project),
    features: toList(feature),
    creators: toList(createdBy),
    hidden: JSON.stringify(hiddenProjects(db, actor)),
  };
  const { events, position, isMore } = eventsAfter(db, filter, positionOf(db, since));
  const messages = events.map(({ id, wire }) => ({ id: String(id), data: new EventText(wire) }));
  return { messages, position: String(position), isMore };
});

const toList = (values: readonly unknown[] | undefined) => (values ? JSON.stringify(values) : null);

/** New clients start at the newest event; so do those whose position is beyond it, from another file. */
function positionOf(db: Database, since: string | undefined): number {
  if (since === undefined) return newestEvent(db);
  if (/^\d{1,15}$/.test(since)) return Math.min(Number(since), newestEvent(db));
  throw invalid({ path: "headers.last-event-id", message: "must be the id of an event" });
}
