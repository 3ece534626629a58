import { Link } from "wouter-preact";
import { pathTo } from "../address.ts";
import type { Output } from "../api.ts";
import { counted } from "../format.ts";
import { useRead } from "../reads.ts";
import { Badge, Time } from "./words.tsx";

export const REQUESTS = "/api/admin/projects/:projectId/change-requests";

export type ChangeRequest = Output<`GET ${typeof REQUESTS}/:id`>;

/** How many must approve a change, as choices. */
export const APPROVALS = Array.from(
  { length: 11 },
  (_, count) => [count, count === 0 ? "none" : String(count)] as const,
);

export const requestPath = (project: string, id: number) =>
  pathTo("projects", project, "change-requests", id);

export const titleOf = ({ id, title }: Pick<ChangeRequest, "id" | "title">) =>
  title ?? `Change request #${id}`;

/** All changes of a request, those of flags first. */
export const changesIn = ({ features, segments }: ChangeRequest) => [
  ...features.flatMap(({ changes }) => changes),
  ...segments,
];

/** What the reader has collected in a project and not sent to review. */
export function Drafts({ project }: { project: string }) {
  const { data = [] } = useRead(`GET ${REQUESTS}/pending`, { params: { projectId: project } });
  return data
    .filter(({ state }) => state === "Draft")
    .map((draft) => (
      <p key={draft.id} class="draft" role="status">
        <Link href={requestPath(project, draft.id)}>
          {counted(changesIn(draft).length, "change")} in your draft
        </Link>{" "}
        for <bdi>{draft.environment}</bdi>
      </p>
    ));
}

/** What is proposed and planned for a flag. */
export function Planned({ project, feature }: { project: string; feature: string }) {
  const params = { projectId: project };
  const pending = useRead(`GET ${REQUESTS}/pending/:featureName`, {
    params: { ...params, featureName: feature },
  });
  const scheduled = useRead(`GET ${REQUESTS}/scheduled`, { params, query: { feature } });
  const all = [
    ...(pending.data ?? []).filter(({ state }) => state !== "Draft"),
    ...(scheduled.data ?? []).map((one) => ({ ...one, state: "Scheduled" as const })),
  ];
  return all.map((one) => (
    <p key={one.id} class="draft">
      <Link href={requestPath(project, one.id)}>{titleOf(one)}</Link> <Badge>{one.state}</Badge> for{" "}
      <bdi>{one.environment}</bdi>
    </p>
  ));
}

/** Requests as a list, with a link to each. */
export const RequestList = ({ requests }: { requests: readonly Found[] }) => (
  <ul class="feed">
    {requests.map(({ schedule, ...one }) => (
      <li key={one.id}>
        <span>
          <Link href={requestPath(one.project, one.id)}>{titleOf(one)}</Link> <Badge>{one.state}</Badge>{" "}
          <small>
            <bdi>{one.createdBy.username}</bdi>, <bdi>{one.project}</bdi>, <bdi>{one.environment}</bdi>,{" "}
            {schedule ? (
              <>
                {schedule.status} for <Time at={schedule.scheduledAt} />
              </>
            ) : (
              <Time at={one.createdAt} />
            )}
          </small>
        </span>
      </li>
    ))}
  </ul>
);

type Found = Pick<
  ChangeRequest,
  "id" | "title" | "state" | "project" | "environment" | "createdAt" | "createdBy" | "schedule"
>;
