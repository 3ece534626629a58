import type { Input, Output } from "../../api.ts";

type Body = Input<"POST /api/admin/addons">["body"];
type Integration = Output<"GET /api/admin/addons">["addons"][number];

/** The editable properties of an integration. */
type Draft = Pick<Integration, "provider" | "enabled" | "description" | "parameters"> & {
  [List in "events" | "projects" | "environments"]: readonly string[];
};

/** The draft as a request body. The casts are safe: parameters and event types come from the server's own lists. */
export const toBody = ({ provider, enabled, description, parameters, ...lists }: Draft): Body => ({
  provider,
  enabled,
  description,
  parameters: parameters as Body["parameters"],
  events: [...lists.events] as Body["events"],
  projects: [...lists.projects],
  environments: [...lists.environments],
});
