import { Link, useParams } from "wouter-preact";
import { pathTo, useFilter } from "../../address.ts";
import { type Input, request as send } from "../../api.ts";
import { capitalised, count, fullTime, listed, nameOf } from "../../format.ts";
import { tell } from "../../messages.ts";
import { Button } from "../../parts/controls.tsx";
import { FormDialog, Opener, RemoveButton } from "../../parts/dialog.tsx";
import { Differences } from "../../parts/differences.tsx";
import { TryDialog, type TryProps } from "../../parts/evaluation.tsx";
import { checks, choicesOf, long, text } from "../../parts/fields.tsx";
import { Filter } from "../../parts/filters.tsx";
import {
  type ChangeRequest,
  changesIn,
  REQUESTS,
  RequestList,
  requestPath,
  titleOf,
} from "../../parts/requests.tsx";
import { ScheduleDialog } from "../../parts/schedule.tsx";
import { Answer, Badge, FlagLink, Nothing, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { isolated } from "../../sentence.ts";
import { isAdmin, may, ownUser } from "../../session.ts";
import { FEATURE, useStrategyWords } from "../flag/frame.tsx";
import { inProject } from "./frame.tsx";

const STATES = ["Draft", "In review", "Approved", "Scheduled", "Applied", "Cancelled", "Rejected"] as const;

/** The change requests of a project, newest first. */
export const ChangeRequests = inProject(({ id: project }) => {
  const [wanted] = useFilter("state");
  const read = useRead(`GET ${REQUESTS}`, { params: { projectId: project } });
  const counts = useRead(`GET ${REQUESTS}/count`, { params: { projectId: project } }).data;
  return (
    <>
      {counts && (
        <p class="muted">
          {count(counts.reviewRequired)} in review, {count(counts.approved)} approved,{" "}
          {count(counts.scheduled)} scheduled, {count(counts.applied)} applied
        </p>
      )}
      <Filter label="State" name="state" choices={choicesOf(STATES)} />
      <Answer read={read}>
        {(all) => {
          const shown = all.filter(({ state }) => ["", state].includes(wanted));
          return shown.length === 0 ? (
            <Nothing>No change requests. An environment's approvals are set under Environments.</Nothing>
          ) : (
            <RequestList requests={shown} />
          );
        }}
      </Answer>
    </>
  );
});

/** A change request: what it changes, who has approved it, and what can be done with it. */
export const ChangeRequestView = inProject(({ id: project }) => {
  const { id = "" } = useParams();
  const read = useRead(`GET ${REQUESTS}/:id`, { params: { projectId: project, id } });
  return <Answer read={read}>{(request) => <Whole key={id} request={request} />}</Answer>;
});

const paramsOf = ({ project, id }: ChangeRequest) => ({ projectId: project, id });

const hasConflict = (request: ChangeRequest) =>
  changesIn(request).some(({ conflict }) => conflict !== undefined);

const isOwn = ({ createdBy }: ChangeRequest) => createdBy.id === ownUser()?.id;

function Whole({ request }: { request: ChangeRequest }) {
  const { title, state, environment, createdBy, createdAt, approvals, rejections, minApprovals } = request;
  const { features, segments, schedule, stateTimestamps } = request;
  const words = useStrategyWords();
  const namesIn = (votes: typeof approvals) => listed(votes.map((vote) => isolated(vote.createdBy.username)));
  return (
    <>
      <h2>
        <bdi>{titleOf(request)}</bdi> <Badge tone={state === "Rejected" ? "bad" : "good"}>{state}</Badge>
      </h2>
      <p>
        {title !== undefined && `#${request.id}, `}
        for <bdi>{environment}</bdi>, by <bdi>{createdBy.username}</bdi> <Time at={createdAt} />
        {Object.entries(stateTimestamps)
          .filter(([past]) => past !== "Draft")
          .map(([past, at]) => (
            <span key={past}>
              , {past.toLowerCase()} <Time at={at} />
            </span>
          ))}
      </p>
      <p>
        {minApprovals === 0
          ? "Nobody else has to approve it."
          : `${approvals.length} of ${minApprovals} approvals needed`}
        {approvals.length > 0 && `: ${namesIn(approvals)}`}
        {rejections.length > 0 && `; rejected by ${namesIn(rejections)}`}
        {approvals.length > 0 &&
          hasConflict(request) &&
          ". What was approved has changed since: it must be approved again."}
      </p>
      {schedule && (
        <p>
          {capitalised(schedule.status)} for {fullTime(schedule.scheduledAt)}
          {schedule.reason && `: ${schedule.reason}`}
        </p>
      )}
      <Actions request={request} />
      {features.map(({ name, conflict, changes, defaultChange }) => (
        <section key={name}>
          <h3>
            <FlagLink project={request.project} name={name} />
          </h3>
          {conflict && <p class="problem">{capitalised(conflict)}.</p>}
          <Changes request={request} feature={name} changes={changes} />
          {defaultChange && <p class="muted">With it comes a strategy: {words(defaultChange.payload)}.</p>}
        </section>
      ))}
      {segments.length > 0 && (
        <section>
          <h3>Segments</h3>
          <Changes request={request} changes={segments} />
        </section>
      )}
      <Comments request={request} />
    </>
  );
}

type Change = ChangeRequest["features"][number]["changes"][number];

interface ChangesProps {
  request: ChangeRequest;
  feature?: string;
  changes: readonly Change[];
}

function Changes({ request, feature = "", changes }: ChangesProps) {
  const isEditable = isOwn(request) && ["Draft", "In review", "Approved"].includes(request.state);
  const words = useStrategyWords();
  const inWords = ({ action, payload }: Change) => WORDS[action]?.(payload, feature, words) ?? action;
  return (
    <ol class="strategies">
      {changes.map((one) => (
        <li key={one.id} class="strategy">
          <p>{inWords(one)}</p>
          {one.conflict && <p class="problem">{capitalised(one.conflict)}.</p>}
          {one.scheduleConflicts?.changeRequests.map((other) => (
            <p key={other.id} class="problem">
              It breaks what is scheduled:{" "}
              <Link href={requestPath(request.project, other.id)}>{titleOf(other)}</Link>
            </p>
          ))}
          <Detail change={one} />
          {one.conflict &&
            (feature ? (
              <NowOfFlag request={request} feature={feature} change={one} />
            ) : (
              <NowOfSegment change={one} />
            ))}
          {isEditable && changesIn(request).length > 1 && (
            <div class="tools">
              <RemoveButton
                label={`Discard: ${inWords(one)}`}
                of={String(one.id)}
                title="Discard this change?"
                action="Discard"
                onConfirm={() =>
                  change(`DELETE ${REQUESTS}/:id/changes/:changeId`, {
                    params: { ...paramsOf(request), changeId: one.id },
                  })
                }
              >
                It is taken out of the change request.
              </RemoveButton>
            </div>
          )}
        </li>
      ))}
    </ol>
  );
}

type StrategyWords = ReturnType<typeof useStrategyWords>;

/** What a change does, by its action. */
const WORDS: Readonly<
  Record<string, (payload: Change["payload"], feature: string, words: StrategyWords) => string>
> = {
  updateEnabled: ({ enabled }, feature) => `Turn ${isolated(feature)} ${enabled ? "on" : "off"}`,
  addStrategy: (strategy, _, words) => `Add a strategy: ${words(strategy)}`,
  updateStrategy: ({ snapshot, ...strategy }, _, words) =>
    `Change a strategy to: ${words({ ...snapshot, ...strategy })}`,
  deleteStrategy: ({ snapshot }, _, words) => `Remove the strategy: ${snapshot ? words(snapshot) : "gone"}`,
  reorderStrategy: () => "Change the order of the strategies",
  patchVariant: ({ variants }) =>
    `Set the variants: ${listed(variants.map(({ name }: { name: string }) => isolated(name))) || "none"}`,
  archiveFeature: (_, feature) => `Archive ${isolated(feature)}`,
  addDependency: (dependency) => `Make it depend on ${isolated(dependency.feature)}`,
  deleteDependency: (dependency) =>
    dependency?.feature
      ? `Make it independent of ${isolated(dependency.feature)}`
      : "Remove its dependencies",
  updateSegment: ({ name }) => `Change the segment ${isolated(name)}`,
  deleteSegment: ({ snapshot }) => `Delete the segment ${isolated(snapshot?.name ?? "")}`,
};

/** Actions whose sentence says all of it. */
const SAID = /^(updateEnabled|reorderStrategy|archiveFeature|deleteDependency)$/;

type State = Readonly<Record<string, unknown>>;

const picked = (state: State, keys: readonly string[]) =>
  Object.fromEntries(keys.map((key) => [key, state[key]]));

/** What a change was based on, as far as it says that. */
const baseOf = ({ action, payload }: Change): State | undefined =>
  action === "patchVariant" ? { variants: payload.snapshot } : payload?.snapshot;

/** What is before and after. */
function Detail({ change }: { change: Change }) {
  const { id, action, payload } = change;
  if (SAID.test(action)) return null;
  const { snapshot: _, id: __, ...after } = payload;
  const isRemoved = action.startsWith("delete");
  const base = baseOf(change);
  return (
    <Differences
      before={base && !isRemoved ? picked(base, Object.keys(after)) : base}
      after={isRemoved ? undefined : after}
      titles={["Before", `Proposed by change ${id}`]}
    />
  );
}

interface NowProps {
  request: ChangeRequest;
  feature: string;
  change: Change;
}

/** What others have made of it since it was proposed. */
function NowOfFlag({ request, feature, change }: NowProps) {
  const params = { projectId: request.project, featureName: feature };
  const flag = useRead(`GET ${FEATURE}`, { params, query: { variantEnvironments: true } }).data;
  const place = flag?.environments.find(({ name }) => name === request.environment);
  const strategy = place?.strategies.find(({ id }) => id === change.payload?.id);
  return <Since change={change} now={change.action === "patchVariant" ? place : strategy} />;
}

/** The same of a segment. */
function NowOfSegment({ change }: { change: Change }) {
  const now = useRead("GET /api/admin/segments/:id", { params: { id: change.payload.id } }).data;
  return <Since change={change} now={now} />;
}

function Since({ change, now }: { change: Change; now: object | undefined }) {
  const base = baseOf(change);
  if (!base || !now) return null;
  const keys = Object.keys(base).filter((key) => key in now);
  return (
    <Differences
      before={picked(base, keys)}
      after={picked(now as State, keys)}
      titles={[`When change ${change.id} was proposed`, "Now"]}
    />
  );
}

type StateChange = Input<`PUT ${typeof REQUESTS}/:id/state`>["body"];

const moveTo = (request: ChangeRequest, body: StateChange) =>
  change(`PUT ${REQUESTS}/:id/state`, { params: paramsOf(request), body });

/** What can be done next, by those who may. */
function Actions({ request }: { request: ChangeRequest }) {
  const { state, project, environment, minApprovals } = request;
  const place = { project, environment };
  const isIn = (...states: ReadonlyArray<typeof state>) => states.includes(state);
  const own = isOwn(request);
  const mayReview = may("APPROVE_CHANGE_REQUEST", place) && (!own || isAdmin());
  const mayApply = may("APPLY_CHANGE_REQUEST", place) || minApprovals === 0;
  const button = (label: string, next: StateChange["state"], kind?: "main" | "danger") => (
    <Button key={next} {...(kind && { kind })} onClick={() => moveTo(request, { state: next })}>
      {label}
    </Button>
  );
  return (
    <div class="actions">
      {own &&
        (isIn("Draft") || (isIn("Approved") && minApprovals === 0 && hasConflict(request))) &&
        button("Send to review", "In review", "main")}
      {mayReview &&
        (isIn("In review") || (isIn("Approved") && hasConflict(request))) &&
        button("Approve", "Approved", "main")}
      {mayApply && isIn("Approved", "Scheduled") && button("Apply now", "Applied", "main")}
      <Opener label="Schedule" parameter="schedule" isAllowed={mayApply && isIn("Approved", "Scheduled")}>
        <ScheduleDialog send={(scheduledAt) => moveTo(request, { state: "Scheduled", scheduledAt })} />
      </Opener>
      {(mayReview || (own && isIn("Scheduled"))) &&
        isIn("In review", "Approved", "Scheduled") &&
        button("Reject", "Rejected")}
      {(own || isAdmin()) && isIn("In review", "Approved", "Scheduled") && button("Cancel it", "Cancelled")}
      <Opener
        label="Title"
        icon="edit"
        parameter="title"
        isAllowed={own && isIn("Draft", "In review", "Approved")}
      >
        <FormDialog
          title="Title"
          initial={{ title: request.title ?? "" }}
          fields={() => ({ title: text("Title", { required: true }) })}
          submit="Save"
          send={(body) => change(`PUT ${REQUESTS}/:id/title`, { params: paramsOf(request), body })}
        />
      </Opener>
      <Opener
        label="Try it with a context"
        icon="play"
        parameter="try"
        isAllowed={request.features.length > 0 && isIn("In review", "Approved", "Scheduled")}
      >
        <TryIt request={request} />
      </Opener>
      <Opener label="Ask for approval" parameter="reviewers" isAllowed={own && isIn("Draft", "In review")}>
        <ReviewersDialog request={request} />
      </Opener>
      {own && isIn("Draft") && (
        <RemoveButton
          label="Discard the draft"
          parameter="discard"
          of="draft"
          title="Discard the draft?"
          action="Discard"
          onConfirm={() => change(`DELETE ${REQUESTS}/:id`, { params: paramsOf(request) })}
          leadsTo={pathTo("projects", project, "change-requests")}
        >
          Its changes are lost; nothing else is changed.
        </RemoveButton>
      )}
    </div>
  );
}

interface DialogProps {
  request: ChangeRequest;
}

/** Evaluates the flags that it changes as if it were applied. */
function TryIt({ request: { id, environment, features } }: DialogProps) {
  const evaluate: TryProps["evaluate"] = async (context) => {
    const body = { context };
    const answered = await send("POST /api/admin/playground/change-request/:id", { params: { id }, body });
    return answered.features
      .filter(({ name }) => features.some((one) => one.name === name))
      .flatMap(({ environments }) => environments[environment] ?? []);
  };
  const title = `Who gets what once #${id} is applied?`;
  return <TryDialog {...{ title, environment, evaluate }} environments={[environment]} />;
}

function ReviewersDialog({ request }: DialogProps) {
  const { project: projectId, environment } = request;
  const possible = useRead(`GET ${REQUESTS}/available-reviewers/:environment`, {
    params: { projectId, environment },
  }).data;
  const asked = useRead(`GET ${REQUESTS}/:id/approvers`, { params: paramsOf(request) }).data;
  if (!possible || !asked) return null;
  const choices = possible.reviewers.map((user) => [user.id, nameOf(user)] as const);
  return (
    <FormDialog
      title="Ask for approval"
      above={choices.length === 0 && <p>Nobody else may approve changes of {environment} here.</p>}
      initial={{ reviewers: asked.reviewers.map(({ id }) => id) as readonly number[] }}
      fields={() => ({ reviewers: checks("Whom to ask", choices) })}
      submit="Ask them"
      send={({ reviewers }) =>
        change(`PUT ${REQUESTS}/:id/approvers`, {
          params: paramsOf(request),
          body: { reviewers: [...reviewers] },
        })
      }
    />
  );
}

const Comments = ({ request }: { request: ChangeRequest }) => (
  <section>
    <h3>Comments</h3>
    {request.comments.length === 0 && <Nothing>No comments yet.</Nothing>}
    <ul class="feed">
      {request.comments.map(({ id, text, createdBy, createdAt }) => (
        <li key={id}>
          <span>
            <bdi>{text}</bdi>{" "}
            <small>
              <bdi>{createdBy.username}</bdi> <Time at={createdAt} />
            </small>
          </span>
        </li>
      ))}
    </ul>
    <Opener label="Comment" icon="add" parameter="comment">
      <FormDialog
        title="Comment"
        initial={{ text: "" }}
        fields={() => ({ text: long("Your comment") })}
        submit="Send"
        send={async (body) => {
          await change(`POST ${REQUESTS}/:id/comments`, { params: paramsOf(request), body });
          tell("Commented");
        }}
      />
    </Opener>
  </section>
);
