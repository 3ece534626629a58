import type { Input, Output } from "../api.ts";
import { change } from "../reads.ts";
import { may } from "../session.ts";

type NewToken = Input<"POST /api/admin/projects/:projectId/api-tokens">["body"];
export type CreatedToken = Output<"POST /api/admin/projects/:projectId/api-tokens">;

/** Whether the user may create a token for an application that uses a project's flags. */
export const mayConnect = (project: string) =>
  may("CREATE_PROJECT_API_TOKEN", { project }) || may("CREATE_CLIENT_API_TOKEN");

/** Creates the token, by the user's permission in the project or else the one for all projects. */
export const createToken = (project: string, body: NewToken) =>
  may("CREATE_PROJECT_API_TOKEN", { project })
    ? change("POST /api/admin/projects/:projectId/api-tokens", { params: { projectId: project }, body })
    : change("POST /api/admin/api-tokens", { body });

interface Connectable {
  project: string;
  name: string;
  environments: ReadonlyArray<{ name: string; enabled: boolean }>;
}

/** Where to connect an application to a flag; suggests an environment where it is on, so that it is seen to work. */
export function connectPath({ project, name, environments }: Connectable) {
  const environment = environments.find(({ enabled }) => enabled)?.name ?? "";
  return `/connect?${new URLSearchParams({ project, feature: name, ...(environment && { environment }) })}`;
}
