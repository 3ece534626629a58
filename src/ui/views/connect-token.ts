import type { Input } from "../api.ts";
import { change } from "../reads.ts";
import { may } from "../session.ts";

type NewToken = Input<"POST /api/admin/projects/:projectId/api-tokens">["body"];

/** Whether somebody may make the token by which an application asks for a project's flags. */
export const mayConnect = (project: string) =>
  may("CREATE_PROJECT_API_TOKEN", { project }) || may("CREATE_CLIENT_API_TOKEN");

/** Makes it, as one of the project's members may, or as whoever makes tokens for all of them. */
export const createToken = (project: string, body: NewToken) =>
  may("CREATE_PROJECT_API_TOKEN", { project })
    ? change("POST /api/admin/projects/:projectId/api-tokens", { params: { projectId: project }, body })
    : change("POST /api/admin/api-tokens", { body });
