import { useParams } from "wouter-preact";
import { useFilters } from "../../address.ts";
import type { Input } from "../../api.ts";
import { capitalised, count, fullTime, listed } from "../../format.ts";
import { Button, tell } from "../../parts/controls.tsx";
import { FormDialog, Opener, RemoveButton } from "../../parts/dialog.tsx";
import { Differences } from "../../parts/differences.tsx";
import { checks, long, text } from "../../parts/fields.tsx";
import { type ChangeRequest, changesIn, REQUESTS, RequestList, titleOf } from "../../parts/requests.tsx";
import { ScheduleDialog } from "../../parts/schedule.tsx";
import { Filter } from "../../parts/table.tsx";
import { Answer, Badge, FlagLink, Nothing, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { isolated, strategyInWords } from "../../sentence.ts";
import { isAdmin, may, ownUser } from "../../session.ts";
import { ProjectFrame } from "./frame.tsx";

const STATES = ["Draft", "In review", "Approved", "Scheduled", "Applied", "Cancelled", "Rejected"] as const;

/** The change requests of a project, newest first. */
export const ChangeRequests = () => (
  <ProjectFrame>{(_, project) => <OfProject key={project} project={project} />}</ProjectFrame>
);

function OfProject({ project }: { project: string }) {
  const [filters, setFilters] = useFilters({ state: "" });
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
      <Filter
        label="State"
        value={filters.state}
        choices={[["", "any state"], ...STATES.map((state) => [state, state] as const)]}
        onChange={(state) => setFilters({ state })}
      />
      <Answer read={read}>
        {(all) => {
          const shown = all.filter(({ state }) => filters.state === "" || state === filters.state);
          return shown.length === 0 ? (
            <Nothing>No change requests. An environment's approvals are set under Environments.</Nothing>
          ) : (
            <RequestList requests={shown} />
          );
        }}
      </Answer>
    </>
  );
}

/** A change request: what it changes, who has approved it, and what can be done with it. */
export const ChangeRequestView = () => (
  <ProjectFrame>{(_, project) => <OfId project={project} />}</ProjectFrame>
);

function OfId({ project }: { project: string }) {
  const { id = "" } = useParams();
  const read = useRead(`GET ${REQUESTS}/:id`, { params: { projectId: project, id } });
  return <Answer read={read}>{(request) => <Whole key={id} request={request} />}</Answer>;
}

const paramsOf = ({ project, id }: ChangeRequest) => ({ projectId: project, id });

const hasConflict = (request: ChangeRequest) =>
  changesIn(request).some(({ conflict }) => conflict !== undefined);

const isOwn = ({ createdBy }: ChangeRequest) => createdBy.id === ownUser()?.id;

function Whole({ request }: { request: ChangeRequest }) {
  const { title, state, environment, createdBy, createdAt, approvals, rejections, minApprovals } = request;
  const { features, segments, schedule } = request;
  const namesIn = (votes: typeof approvals) => listed(votes.map((vote) => isolated(vote.createdBy.username)));
  return (
    <>
      <h2>
        <bdi>{titleOf(request)}</bdi> <Badge tone={state === "Rejected" ? "bad" : "good"}>{state}</Badge>
      </h2>
      <p>
        {title !== undefined && `#${request.id}, `}
        for <bdi>{environment}</bdi>, by <bdi>{createdBy.username}</bdi> <Time at={createdAt} />
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
      {features.map(({ name, conflict, changes }) => (
        <section key={name}>
          <h3>
            <FlagLink project={request.project} name={name} />
          </h3>
          {conflict && <p class="problem">{capitalised(conflict)}.</p>}
          <Changes request={request} feature={name} changes={changes} />
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
  return (
    <ol class="strategies">
      {changes.map((one) => (
        <li key={one.id} class="strategy">
          <p>{inWords(one, feature)}</p>
          {one.conflict && <p class="problem">{capitalised(one.conflict)}.</p>}
          <Detail change={one} />
          {one.conflict && <Now request={request} feature={feature} change={one} />}
          {isEditable && changesIn(request).length > 1 && (
            <div class="tools">
              <RemoveButton
                label={`Discard: ${inWords(one, feature)}`}
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

/** What a change does, by its action. */
const WORDS: Readonly<Record<string, (payload: Change["payload"], feature: string) => string>> = {
  updateEnabled: ({ enabled }, feature) => `Turn ${isolated(feature)} ${enabled ? "on" : "off"}`,
  addStrategy: (strategy) => `Add a strategy: ${strategyInWords(strategy)}`,
  updateStrategy: ({ snapshot, ...strategy }) =>
    `Change a strategy to: ${strategyInWords({ ...snapshot, ...strategy })}`,
  deleteStrategy: ({ snapshot }) => `Remove the strategy: ${snapshot ? strategyInWords(snapshot) : "gone"}`,
  reorderStrategy: () => "Change the order of the strategies",
  patchVariant: ({ variants }) =>
    `Set the variants: ${listed(variants.map(({ name }: { name: string }) => isolated(name))) || "none"}`,
  archiveFeature: (_, feature) => `Archive ${isolated(feature)}`,
  addDependency: (dependency) => `Make it depend on ${isolated(dependency.feature)}`,
  deleteDependency: () => "Remove its dependencies",
  updateSegment: ({ name }) => `Change the segment ${isolated(name)}`,
  deleteSegment: ({ snapshot }) => `Delete the segment ${isolated(snapshot?.name ?? "")}`,
};

const inWords = ({ action, payload }: Change, feature: string) => WORDS[action]?.(payload, feature) ?? action;

/** What is before and after, of changes that say it. */
function Detail({ change: { id, action, payload } }: { change: Change }) {
  if (payload?.snapshot === undefined) return null;
  const { snapshot, id: _, ...after } = payload;
  const isRemoved = action.startsWith("delete");
  const touched = Object.fromEntries(Object.keys(after).map((key) => [key, snapshot[key]]));
  const before = isRemoved || Array.isArray(snapshot) ? snapshot : touched;
  return (
    <Differences
      before={before}
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
function Now({ request, feature, change: { id, action, payload } }: NowProps) {
  const { project, environment } = request;
  const params = { projectId: project, featureName: feature, environment };
  const read = useRead("GET /api/admin/projects/:projectId/features/:featureName/environments/:environment", {
    params,
  });
  const now = read.data?.strategies.find((strategy) => strategy.id === payload?.id);
  if (!action.endsWith("Strategy") || !payload?.snapshot || !now) return null;
  const { segments: _, ...before } = payload.snapshot;
  return <Differences before={before} after={now} titles={[`When change ${id} was proposed`, "Now"]} />;
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
        {(onClose) => (
          <ScheduleDialog
            send={(scheduledAt) => moveTo(request, { state: "Scheduled", scheduledAt })}
            onClose={onClose}
          />
        )}
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
        {(onClose) => (
          <FormDialog
            title="Title"
            initial={{ title: request.title ?? "" }}
            fields={() => ({ title: text("Title", { required: true }) })}
            submit="Save"
            send={(body) => change(`PUT ${REQUESTS}/:id/title`, { params: paramsOf(request), body })}
            onClose={onClose}
          />
        )}
      </Opener>
      <Opener label="Ask for approval" parameter="reviewers" isAllowed={own && isIn("Draft", "In review")}>
        {(onClose) => <ReviewersDialog request={request} onClose={onClose} />}
      </Opener>
      {own && isIn("Draft") && (
        <RemoveButton
          label="Discard the draft"
          parameter="discard"
          of="draft"
          title="Discard the draft?"
          action="Discard"
          onConfirm={() => change(`DELETE ${REQUESTS}/:id`, { params: paramsOf(request) })}
        >
          Its changes are lost; nothing else is changed.
        </RemoveButton>
      )}
    </div>
  );
}

function ReviewersDialog({ request, onClose }: { request: ChangeRequest; onClose(): void }) {
  const { project: projectId, environment } = request;
  const possible = useRead(`GET ${REQUESTS}/available-reviewers/:environment`, {
    params: { projectId, environment },
  }).data;
  const asked = useRead(`GET ${REQUESTS}/:id/approvers`, { params: paramsOf(request) }).data;
  if (!possible || !asked) return null;
  const choices = possible.reviewers.map(
    ({ id, name, username, email }) => [id, name ?? username ?? email ?? `user ${id}`] as const,
  );
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
      onClose={onClose}
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
      {(onClose) => (
        <FormDialog
          title="Comment"
          initial={{ text: "" }}
          fields={() => ({ text: long("Your comment") })}
          submit="Send"
          send={async (body) => {
            await change(`POST ${REQUESTS}/:id/comments`, { params: paramsOf(request), body });
            tell("Commented");
          }}
          onClose={onClose}
        />
      )}
    </Opener>
  </section>
);
