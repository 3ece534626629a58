import { type Input, request } from "./api.ts";
import { tell } from "./messages.ts";

const PROJECT = "/api/admin/projects/:projectId";
const FEATURE = `${PROJECT}/features/:featureName`;
const AT = `${FEATURE}/environments/:environment`;

type Body = Input<"POST /api/admin/projects/:projectId/environments/:environment/change-requests">["body"];

/** What the page sends to change something. */
export interface Sent {
  params?: Readonly<Record<string, string | number>>;
  // biome-ignore lint/suspicious/noExplicitAny: of any operation
  body?: any;
}

// biome-ignore lint/suspicious/noExplicitAny: what an operation takes, by its own names
type Proposal = (params: any, body: any) => unknown;

const onFlag =
  (action: string, payload: Proposal): Proposal =>
  (params, body) => ({ feature: params.featureName ?? params.child, action, payload: payload(params, body) });

const switched = (enabled: boolean) => onFlag("updateEnabled", () => ({ enabled }));

const archived = onFlag("archiveFeature", () => undefined);

const all =
  (change: Proposal): Proposal =>
  (_, { features }) =>
    features.map((featureName: string) => change({ featureName }, {}));

/** What is proposed instead of a change, where others must approve it. */
const PROPOSALS: Readonly<Record<string, Proposal>> = {
  [`POST ${AT}/on`]: switched(true),
  [`POST ${AT}/off`]: switched(false),
  [`POST ${AT}/strategies`]: onFlag("addStrategy", (_, body) => body),
  [`PUT ${AT}/strategies/:strategyId`]: onFlag("updateStrategy", ({ strategyId: id }, body) => ({
    ...body,
    id,
  })),
  [`DELETE ${AT}/strategies/:strategyId`]: onFlag("deleteStrategy", ({ strategyId: id }) => ({ id })),
  [`POST ${AT}/strategies/set-sort-order`]: onFlag("reorderStrategy", (_, body) => body),
  [`PUT ${AT}/variants`]: onFlag("patchVariant", (_, variants) => ({ variants })),
  [`POST ${PROJECT}/bulk_features/environments/:environment/on`]: all(switched(true)),
  [`POST ${PROJECT}/bulk_features/environments/:environment/off`]: all(switched(false)),
  [`DELETE ${FEATURE}`]: archived,
  [`POST ${PROJECT}/archive`]: all(archived),
  [`POST ${PROJECT}/features/:child/dependencies`]: onFlag("addDependency", (_, body) => body),
  [`DELETE ${PROJECT}/features/:child/dependencies/:parent`]: onFlag(
    "deleteDependency",
    ({ parent: feature }) => ({ feature }),
  ),
  "PUT /api/admin/segments/:id": ({ id }, body) => ({
    action: "updateSegment",
    payload: { ...body, id: Number(id) },
  }),
  "DELETE /api/admin/segments/:id": ({ id }) => ({ action: "deleteSegment", payload: { id: Number(id) } }),
};

/**
 * Proposes a change instead of making it, where others must approve it: it becomes a part of the user's draft. That goes
 * for Admins, too, though the API lets them make it.
 * @returns false if it needs no approval
 */
export async function proposed(key: string, { params = {}, body }: Sent = {}): Promise<boolean> {
  const toChange = PROPOSALS[key];
  const projectId = toChange && (params.projectId ?? (await projectOfSegment(params.id!)));
  const environment =
    projectId && (await approvedIn({ project: projectId, environment: params.environment }));
  if (!environment) return false;
  const { id } = await request(`POST ${PROJECT}/environments/:environment/change-requests`, {
    params: { projectId, environment },
    body: toChange!(params, body) as Body,
  });
  tell(`Added to your draft, change request #${id}: others must approve changes of ${environment}.`);
  return true;
}

interface Place {
  project: string | number;
  /** Undefined for what concerns all of them. */
  environment?: string | number | undefined;
}

/** The environment in which others must approve a change of flags: of several, one for production; undefined for none. */
export async function approvedIn({ project: projectId, environment }: Place): Promise<string | undefined> {
  const config = await request(`GET ${PROJECT}/change-requests/config`, { params: { projectId } });
  const required = config.filter(
    (one) => one.changeRequestEnabled && one.environment === (environment ?? one.environment),
  );
  return (required.find(({ type }) => type === "production") ?? required[0])?.environment;
}

/** Undefined for a segment of all projects, which needs no approval. */
async function projectOfSegment(id: string | number): Promise<string | undefined> {
  return (await request("GET /api/admin/segments/:id", { params: { id } })).project;
}
