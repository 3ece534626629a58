import type { Actor } from "../access/actor.ts";
import { hiddenProjects } from "../access/visibility.ts";
import type { Database } from "../db/database.ts";
import { DELETE, GET, POST } from "../http/operation.ts";
import { ApiError, invalid } from "../lib/api-error.ts";
import {
  type ApiToken,
  ApiTokens,
  CreatedApiToken,
  findApiToken,
  issueApiToken,
  listedTokens,
  mayAccessTokens,
  NewApiToken,
  toApiToken,
} from "../people/api-tokens.ts";
import { revokeToken, type Token, tokens } from "../people/tokens-store.ts";
import { requireProject } from "./projects-store.ts";

const ofProject = {
  tag: "API tokens",
  path: "/api/admin/projects/:projectId/api-tokens",
  errors: ["NotFoundError"],
} as const;

export const listProjectApiTokens = GET({
  ...ofProject,
  id: "getProjectApiTokens",
  summary: "The API tokens that include a project; secrets are masked unless the operator keeps them",
  permission: { permission: "READ_PROJECT_API_TOKEN", project: "projectId" },
  response: ApiTokens,
}).run(({ db, actor, params: { projectId } }) => {
  requireProject(db, projectId);
  const hidden = hiddenProjects(db, actor);
  const all = tokens(db).filter((token) => isForProject(token, projectId));
  const listed = listedTokens(db, actor, all).map((shown, index) =>
    mayReadSecret(db, actor, all[index]!, projectId) ? shown : toApiToken(all[index]!),
  );
  return { tokens: listed.map((token) => withoutProjects(token, hidden)) };
});

export const createProjectApiToken = POST({
  ...ofProject,
  id: "createProjectApiToken",
  summary: "Create an API token for this project only; its secret is shown only once",
  permission: { permission: "CREATE_PROJECT_API_TOKEN", project: "projectId" },
  body: NewApiToken,
  status: 201,
  records: ["api-token-created"],
  response: CreatedApiToken,
  example: { tokenName: "checkout", type: "client", environment: "development", projects: ["shop"] },
}).change(({ tx, params: { projectId }, body }) => {
  requireProject(tx.db, projectId);
  if (!isOnlyForProject(body, projectId))
    throw invalid({ path: "body.projects", message: `must be only ${projectId}` });
  return issueApiToken(tx, body);
});

export const deleteProjectApiToken = DELETE({
  ...ofProject,
  id: "deleteProjectApiToken",
  summary: "Revoke an API token that is for this project only",
  path: `${ofProject.path}/:token`,
  permission: { permission: "DELETE_PROJECT_API_TOKEN", project: "projectId" },
  records: ["api-token-deleted"],
}).change(({ tx, params: { projectId, token: secret } }) => {
  const token = findApiToken(tx.db, secret);
  if (!token || !isForProject(token, projectId))
    throw new ApiError("NotFoundError", `The project ${projectId} has no such token`);
  if (!isOnlyForProject(token, projectId))
    throw invalid({ path: "path.token", message: "names a token that is also for other projects" });
  revokeToken(tx, token.id);
});

/** The secret of a token that is for other projects too opens those. */
const mayReadSecret = (db: Database, actor: Actor, token: Token, project: string) =>
  isOnlyForProject(token, project) || mayAccessTokens(db, actor, "READ", token.type);

/** A token as seen by someone from whom these projects are hidden. */
function withoutProjects(token: ApiToken, hidden: readonly string[]): ApiToken {
  const projects = token.projects.filter((project) => !hidden.includes(project));
  return { ...token, project: projects.join(","), projects };
}

const isForProject = ({ type, projects }: Token, project: string) =>
  type !== "user" && projects.includes(project);

const isOnlyForProject = ({ projects }: { projects: readonly string[] }, project: string) =>
  projects.length === 1 && projects[0] === project;
