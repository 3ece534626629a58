import * as v from "valibot";
import type { Actor } from "../access/actor.ts";
import { snapshot } from "../db/database.ts";
import { describe } from "../events/describe.ts";
import { Event } from "../events/schema.ts";
import { EventText, Summary } from "../events/wire.ts";
import { EVENT_HEADER, GET, POST } from "../http/operation.ts";
import { ApiError } from "../lib/api-error.ts";
import { timestamp } from "../lib/time.ts";
import { Count, wholeNumber } from "../lib/validation.ts";
import { EventList } from "../log/schema.ts";
import { wireOf } from "../log/store.ts";
import type { Change } from "./opposites.ts";
import { eventsWith, stepsToUndo, undo } from "./plan.ts";

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
}).run(({ db, actor, params: { id } }) =>
  snapshot(db, () => {
    const events = eventsWith(db, actor, id);
    return {
      total: events.length,
      events: events.slice(0, SHOWN).map((event) => ({
        id: event.id,
        ...inWords(event, event.summary),
        ...(typeof event.data?.undoes === "number" && { undoes: event.data.undoes }),
      })),
      ...outlook(() => stepsToUndo(db, actor, events).map(({ change }) => changeBy(actor, change))),
    };
  }),
);

export const undoEvent = POST({
  ...ofEvent,
  id: "undo",
  summary: "Undo an event, with all others of the same change; needs the permission for the opposite change",
  errors: ["NotFoundError", "ConflictError"],
  records: [], // those of the opposite change
  response: EventList,
}).change(({ tx, actor, params: { id } }) => {
  undo(tx, eventsWith(tx.db, actor, id));
  const wires = tx.recorded.map((recorded) => wireOf(tx.db).pluck().get({ id: recorded })!);
  return { version: 1, events: wires.map((wire) => new EventText(wire)) };
});

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
