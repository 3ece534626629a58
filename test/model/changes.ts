import { archive, createFeature, switchFeature } from "./changes-of-flags.ts";
import { changeMany } from "./changes-of-many.ts";
import { createProject, createToken, createUser } from "./changes-of-others.ts";
import { addStrategy, removeStrategy } from "./changes-of-strategies.ts";
import { changeTag, favorite } from "./changes-of-tags.ts";
import type { Line } from "./dataset.ts";
import { notificationsOf } from "./notifications.ts";
import { type Caller, callerOf } from "./permissions.ts";

/*
 * The effect of each change on a list of lines, independent of the program.
 */

export interface Place {
  project: string;
  feature: string;
}

export type Change =
  | { kind: "createProject" | "createUser" | "createToken"; body: Line }
  | { kind: "createFeature"; project: string; body: Line }
  | ({ kind: "switch"; environment: string; isOn: boolean; activates: boolean } & Place)
  | ({ kind: "archive" } & Place)
  | ({ kind: "addStrategy"; environment: string; body: Line } & Place)
  | ({ kind: "removeStrategy"; environment: string; strategy: string } & Place)
  | ({ kind: "tag"; type: string; value: string; isAdded: boolean } & Place)
  | ({ kind: "favorite"; isOn: boolean } & Place)
  | { kind: "markStale"; project: string; features: string[]; stale: boolean }
  | { kind: "revive" | "remove"; project: string; features: string[] };

/** Values only the server knows: the time, and the id of a new row. */
export interface Witness {
  now: string;
  id: string | number;
}

/** The state before a change. */
export interface Before extends Witness {
  lines: Line[];
  caller: Caller;
}

/** A status; and if the change is made, its events and the resulting lines. */
export interface Outcome {
  status: number;
  events?: Line[];
  lines?: Line[];
}

const TEXTS = ["name", "id", "description", "type", "username", "email", "title", "expiresAt"];
const NEVER_NULL = ["id", "type", "stale", "impressionData"];

/** The body as the original takes it: a number for text is text, and null for what is never null is missing. */
function asMeant(change: Change): Change {
  if (!("body" in change)) return change;
  const given = Object.entries(change.body).filter(
    ([key, value]) => value !== null || !NEVER_NULL.includes(key),
  );
  const meant = given.map(([key, value]) => [
    key,
    typeof value === "number" && TEXTS.includes(key) ? String(value) : value,
  ]);
  return { ...change, body: Object.fromEntries(meant) };
}

/** @param as the user, null for the service token */
export function applyChange(lines: Line[], as: number | null, change: Change, witness: Witness) {
  const caller = callerOf(lines, as);
  const outcome = outcomeOf({ lines, caller, ...witness }, asMeant(change));
  const after = outcome.lines ?? lines;
  const { createdBy, createdByUserId } = caller;
  const events = (outcome.events ?? []).map((event) => ({
    createdAt: witness.now,
    createdBy,
    createdByUserId,
    environment: null,
    project: null,
    featureName: null,
    data: null,
    preData: null,
    tags: tagsOf([...after, ...lines], event.featureName), // a deleted flag's are those it had
    ...event,
  }));
  return { status: outcome.status, events, lines: [...after, ...notificationsOf(after, events)] };
}

function outcomeOf(before: Before, change: Change): Outcome {
  switch (change.kind) {
    case "createProject":
      return createProject(before, change.body);
    case "createUser":
      return createUser(before, change.body);
    case "createToken":
      return createToken(before, change.body);
    case "createFeature":
      return createFeature(before, change);
    case "switch":
      return switchFeature(before, change);
    case "archive":
      return archive(before, change);
    case "addStrategy":
      return addStrategy(before, change);
    case "removeStrategy":
      return removeStrategy(before, change);
    case "tag":
      return changeTag(before, change);
    case "favorite":
      return favorite(before, change);
    case "markStale":
    case "revive":
    case "remove":
      return changeMany(before, change);
  }
}

const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

const tagsOf = (lines: Line[], feature: string | undefined) =>
  (lines.find(({ kind, name }) => kind === "feature" && name === feature)?.tags ?? []).toSorted(
    (a: Line, b: Line) => byteOrder(a.type, b.type) || byteOrder(a.value, b.value),
  );
