import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import type { Database } from "../db/database.ts";
import { describe } from "../events/describe.ts";
import { Event } from "../events/schema.ts";
import { EventText, Summary } from "../events/wire.ts";
import type { Tx } from "../events/write.ts";
import { EVENT_HEADER, GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { timestamp } from "../lib/time.ts";
import { Count, wholeNumber } from "../lib/validation.ts";
import { EventList } from "../log/schema.ts";
import { wireOf } from "../log/store.ts";
import type { Change } from "./opposites.ts";
import { eventsWith, idsOf, stepsToUndo, undo } from "./plan.ts";
import { eventsSince, netOf, Since } from "./since.ts";

/** How many of each are listed. */
const SHOWN = 20;

const InWords = v.pick(Event, ["type", "project", "environment", "featureName", "summary"]);

/** What was done and what undoing it would record, the first of each; or why it can't be undone. */
export const Undo = v.strictObject({
  /** The number of events that are undone together. */
  total: Count,
  events: v.array(
    v.strictObject({ id: Event.entries.id, ...InWords.entries, undoes: v.optional(Event.entries.id) }),
  ),
  changes: v.array(v.strictObject(InWords.entries)),
  refusal: v.nullable(
    v.strictObject({
      name: v.picklist(["ConflictError", "NoAccessError"]),
      message: v.string(),
      /** The later event that is in its way. */
      event: v.nullable(Event.entries.id),
    }),
  ),
});
type Undo = v.InferOutput<typeof Undo>;

const ofEvent = {
  tag: "Events",
  path: "/api/admin/events/:id/undo",
  permission: null, // that of the opposite change
  params: v.object({ id: wholeNumber(1) }),
  wrongParamsAre404: true,
  errors: ["NotFoundError"],
} as const;

export const readUndo = GET({
  ...ofEvent,
  id: "getUndo",
  summary: "What undoing an event would do, or why it can't be undone",
  response: Undo,
}).run(({ db, actor, params: { id } }) => {
  const events = eventsWith(db, actor, id);
  return preview(db, actor, events, events);
});

export const undoEvent = POST({
  ...ofEvent,
  id: "undo",
  summary: "Undo an event, with all others of the same change; needs the permission for the opposite change",
  errors: ["NotFoundError", "ConflictError"],
  records: [], // those of the opposite change
  response: EventList,
}).change(({ tx, actor, params: { id } }) => {
  undo(tx, eventsWith(tx.db, actor, id));
  return recordedIn(tx);
});

const sinceThen = {
  tag: "Events",
  path: "/api/admin/undo-since",
  permission: null, // that of the opposite changes
} as const;

const EXAMPLE = { since: "0", project: "shop", feature: "first-flag" };

export const readUndoSince = GET({
  ...sinceThen,
  id: "getUndoSince",
  summary: "What undoing everything that has happened to something since a time would do",
  query: Since,
  response: Undo,
  exampleParams: EXAMPLE,
}).run(({ db, actor, query }) => {
  const events = eventsSince(db, actor, query);
  return preview(db, actor, events, netOf(db, events));
});

export const undoSince = POST({
  ...sinceThen,
  id: "undoSince",
  summary:
    "Undo everything that has happened to a flag, an environment of a project, or a segment since a time",
  errors: ["NotFoundError", "ConflictError"],
  records: [], // those of the opposite changes
  body: Since,
  response: EventList,
  example: EXAMPLE,
}).change(({ tx, actor, body }) => {
  const events = eventsSince(tx.db, actor, body);
  const net = netOf(tx.db, events);
  if (net.length > 0) undo(tx, net, idsOf(events));
  return recordedIn(tx);
});

function recordedIn(tx: Tx) {
  const wires = tx.recorded.map((recorded) => wireOf(tx.db).get({ id: recorded })!);
  return { version: 1 as const, events: wires.map((wire) => new EventText(wire)) };
}

/** @param net what is undone in the place of the events */
function preview(db: Database, actor: Actor, events: readonly Event[], net: readonly Event[]) {
  const changes = () =>
    net.length === 0
      ? []
      : stepsToUndo(db, actor, net, idsOf(events)).map(({ change }) => changeBy(actor, change));
  return {
    total: events.length,
    events: events.slice(0, SHOWN).map((event) => ({
      id: event.id,
      ...inWords(event, event.summary),
      ...(typeof event.data?.undoes === "number" && { undoes: event.data.undoes }),
    })),
    ...outlook(changes),
  };
}

function outlook(changes: () => Array<ReturnType<typeof changeBy>>) {
  try {
    return { changes: changes().slice(0, SHOWN), refusal: null };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { name, message, headers } = error;
    const event = Number(headers[EVENT_HEADER]) || null;
    return { changes: [], refusal: { name: name as NonNullable<Undo["refusal"]>["name"], message, event } };
  }
}

const inWords = (change: Omit<v.InferOutput<typeof InWords>, "summary">, summary: string | null) => ({
  type: change.type,
  project: change.project,
  environment: change.environment,
  featureName: change.featureName,
  summary: new Summary(JSON.stringify(summary)),
});

const changeBy = ({ createdBy, createdByUserId }: Actor, change: Change) =>
  inWords(
    change,
    describe({ ...change, createdBy, createdByUserId, createdAt: timestamp(), tags: [] }).summary,
  );
