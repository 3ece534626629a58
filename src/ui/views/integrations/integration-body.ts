import type { Input, Output } from "../../api.ts";

type Body = Input<"POST /api/admin/addons">["body"];
type Integration = Output<"GET /api/admin/addons">["addons"][number];

/** What an integration is made of. */
type Made = Pick<Integration, "provider" | "enabled" | "description" | "parameters"> & {
  [List in "events" | "projects" | "environments"]: readonly string[];
};

/** The same as it is sent: of its parameters and types of events there are only such as the server has named itself. */
export const toBody = ({ provider, enabled, description, parameters, ...lists }: Made): Body => ({
  provider,
  enabled,
  description,
  parameters: parameters as Body["parameters"],
  events: [...lists.events] as Body["events"],
  projects: [...lists.projects],
  environments: [...lists.environments],
});
