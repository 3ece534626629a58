import { type Input, request } from "../api.ts";
import { inDays, toLocal } from "../format.ts";
import { tell } from "../messages.ts";
import { change } from "../reads.ts";
import { FormDialog } from "./dialog.tsx";
import { localTime } from "./fields.tsx";
import { problemAt } from "./form.tsx";
import { REQUESTS } from "./requests.tsx";

/** When something is to happen, in the reader's own time zone. */
export const ScheduleDialog = ({ send }: { send(at: string): Promise<unknown> }) => (
  <FormDialog
    title="Schedule"
    initial={{ scheduledAt: inDays(1) }}
    fields={() => ({ scheduledAt: localTime("When") })}
    submit="Schedule"
    send={async ({ scheduledAt }) => send(instantOf(scheduledAt).toISOString())}
  />
);

/** @throws RequestError for a local time in the past, or one that the clocks skip when summer time begins */
function instantOf(local: string): Date {
  const instant = new Date(local);
  if (toLocal(instant) !== local) throw problemAt("scheduledAt", "is not a time that clocks show there");
  if (instant.valueOf() <= Date.now()) throw problemAt("scheduledAt", "is in the past");
  return instant;
}

interface PlaceOfFlag {
  project: string;
  feature: string;
  environment: string;
}

/** Plans to turn a flag on or off; where others must approve that, it is left in the user's draft. */
export async function planSwitch(
  { project, feature, environment }: PlaceOfFlag,
  enabled: boolean,
  at: string,
) {
  const params = { projectId: project };
  const { id, minApprovals, features, segments } = await request(
    "POST /api/admin/projects/:projectId/environments/:environment/change-requests",
    {
      params: { ...params, environment },
      body: { feature, action: "updateEnabled", payload: { enabled } },
    },
  );
  const isAlone = features.length === 1 && features[0]?.changes.length === 1 && segments.length === 0;
  const move = (body: Input<`PUT ${typeof REQUESTS}/:id/state`>["body"]) =>
    change(`PUT ${REQUESTS}/:id/state`, { params: { ...params, id }, body });
  if (minApprovals > 0 || !isAlone)
    return tell(`Added to your draft, change request #${id}: schedule it there.`);
  await move({ state: "In review" });
  await move({ state: "Scheduled", scheduledAt: at }).catch(async (error) => {
    await move({ state: "Cancelled" });
    throw error;
  });
  tell("Planned");
}
