import * as v from "valibot";
import { CreateStrategy, StrategyOrder, UpdateStrategy } from "../evaluation/strategy.ts";
import { NewDependency } from "../flags/dependencies.ts";
import { NewSegment } from "../flags/segments.ts";
import { NewVariants } from "../flags/variants.ts";
import {
  Count,
  FutureTime,
  NonEmptyText,
  ShortText,
  Text,
  Timestamp,
  wholeNumber,
} from "../lib/validation.ts";

export const STATES = [
  "Draft",
  "In review",
  "Approved",
  "Scheduled",
  "Applied",
  "Cancelled",
  "Rejected",
] as const;
export const State = v.picklist(STATES);
export type State = v.InferOutput<typeof State>;

/** Those that nothing leads out of. */
export const CLOSED: readonly State[] = ["Applied", "Cancelled", "Rejected"];

const Id = v.pipe(v.number(), v.safeInteger());

const onFlag = <const A extends string, P extends v.GenericSchema>(action: A, payload: P) =>
  v.object({ feature: NonEmptyText, action: v.literal(action), payload });

const onSegment = <const A extends string, P extends v.GenericSchema>(action: A, payload: P) =>
  v.object({ action: v.literal(action), payload });

const StrategyId = v.object({ id: v.string() });

/** A change to propose: what it does, and the body of the operation that does it, with ids that are otherwise in the path. */
export const NewChange = v.variant("action", [
  onFlag(
    "updateEnabled",
    v.object({ enabled: v.boolean(), shouldActivateDisabledStrategies: v.optional(v.boolean()) }),
  ),
  onFlag("addStrategy", CreateStrategy),
  onFlag("updateStrategy", v.object({ ...UpdateStrategy.entries, ...StrategyId.entries })),
  onFlag("deleteStrategy", StrategyId),
  onFlag("reorderStrategy", StrategyOrder),
  onFlag("patchVariant", v.object({ variants: NewVariants })),
  onFlag("archiveFeature", v.nullish(v.object({}))),
  onFlag("addDependency", NewDependency),
  onFlag("deleteDependency", v.nullish(v.object({ feature: v.optional(v.string()) }))),
  // Its project can't be changed this way: others would have a say in that.
  onSegment("updateSegment", v.object({ ...v.omit(NewSegment, ["project"]).entries, id: Id })),
  onSegment("deleteSegment", v.object({ id: Id })),
]);
export type NewChange = v.InferOutput<typeof NewChange>;

const One = v.pipe(
  NewChange,
  v.transform((change) => [change]),
);
const Several = v.pipe(v.array(NewChange), v.minLength(1, "must have a change"));

/** One, or a list; what is wrong is said of what was sent, where a plain union would name both. */
export const NewChanges: v.GenericSchema<unknown, NewChange[]> = {
  ...v.union([One, Several]),
  "~run": (dataset, config) => (Array.isArray(dataset.value) ? Several : One)["~run"](dataset, config),
};

const Author = v.strictObject({ id: v.number(), username: v.string(), imageUrl: v.string() });
export type Author = v.InferOutput<typeof Author>;

/** A change in a request; `conflict` says in a clause what has happened since to what it changes. */
export const Change = v.strictObject({
  id: v.number(),
  action: v.string(),
  payload: v.optional(v.any()),
  conflict: v.optional(v.string()),
  createdBy: Author,
  createdAt: Timestamp,
  scheduleConflicts: v.optional(
    v.strictObject({
      changeRequests: v.array(v.strictObject({ id: v.number(), title: v.optional(v.string()) })),
    }),
  ),
});

const Vote = v.strictObject({ createdBy: Author, createdAt: Timestamp });

const Comment = v.strictObject({ id: v.number(), text: v.string(), createdBy: Author, createdAt: Timestamp });

/** When it is to be applied; with a reason if that failed, or won't be tried. */
export const Schedule = v.strictObject({
  status: v.picklist(["pending", "failed", "suspended"]),
  scheduledAt: Timestamp,
  reason: v.optional(v.string()),
  failureReason: v.optional(v.string()),
});

/** A request as it is in lists of all. */
const Summary = {
  id: v.number(),
  title: v.optional(v.string()),
  project: v.string(),
  environment: v.string(),
  state: State,
  createdAt: Timestamp,
  createdBy: Author,
  schedule: v.optional(Schedule),
};

export const FoundChangeRequests = v.strictObject({
  total: Count,
  changeRequests: v.array(
    v.strictObject({ ...Summary, features: v.array(v.string()), segments: v.array(v.string()) }),
  ),
});

/** The changes by flag, and those of segments; `schedule` exactly while it is scheduled. */
export const ChangeRequest = v.strictObject({
  ...Summary,
  minApprovals: v.number(),
  stateTimestamps: v.partial(v.strictObject(v.entriesFromList(STATES, Timestamp))),
  features: v.array(
    v.strictObject({
      name: v.string(),
      conflict: v.optional(v.string()),
      defaultChange: v.optional(v.strictObject({ action: v.string(), payload: v.any() })),
      changes: v.array(Change),
    }),
  ),
  segments: v.array(v.strictObject({ ...Change.entries, name: v.string() })),
  approvals: v.array(Vote),
  rejections: v.array(Vote),
  comments: v.array(Comment),
});
export type ChangeRequest = v.InferOutput<typeof ChangeRequest>;

const CommentText = v.pipe(
  Text,
  v.trim(),
  v.nonEmpty("must not be empty"),
  v.maxLength(1000, "must have 1000 characters or fewer"),
);

/** The body that moves a request to another state, perhaps with a comment; `scheduledAt` only for `Scheduled`. */
export const StateChange = v.pipe(
  v.object({
    state: State,
    comment: v.nullish(v.union([v.literal(""), CommentText])),
    scheduledAt: v.optional(FutureTime),
  }),
  v.check(
    ({ state, scheduledAt }) => (state === "Scheduled") === (scheduledAt !== undefined),
    "must have scheduledAt exactly if state is Scheduled",
  ),
);
export type StateChange = v.InferOutput<typeof StateChange>;

export const NewComment = v.object({ text: CommentText });
export const NewTitle = v.object({ title: v.pipe(ShortText, v.trim(), v.nonEmpty("must not be empty")) });

export const Reviewers = v.strictObject({
  reviewers: v.array(
    v.strictObject({
      id: v.number(),
      email: v.nullable(v.string()),
      name: v.nullable(v.string()),
      username: v.nullable(v.string()),
      imageUrl: v.string(),
    }),
  ),
});

/** Whom to ask for approval. */
export const NewReviewers = v.object({
  reviewers: v.pipe(v.array(Id), v.maxLength(10, "must have 10 entries or fewer")),
});

/** The parameters of a request's path. */
export const RequestParams = v.object({ projectId: v.string(), id: wholeNumber(1) });
export const ChangeParams = v.object({ ...RequestParams.entries, changeId: wholeNumber(1) });
