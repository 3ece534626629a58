import { Link } from "wouter-preact";
import { flagPath, pathTo } from "../../address.ts";
import { request } from "../../api.ts";
import { Button } from "../../parts/controls.tsx";
import { ConfirmButton, FormDialog, Opener } from "../../parts/dialog.tsx";
import { EditSection } from "../../parts/edit.tsx";
import { EventList } from "../../parts/events.tsx";
import { check, choice, long, named, text, valuesOf } from "../../parts/fields.tsx";
import { Answer } from "../../parts/words.tsx";
import { change, useLast, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { FEATURE, type FlagProps, inFlag, paramsOf } from "./frame.tsx";

/** The settings of a flag, and its actions. */
export const Settings = inFlag(({ flag }) => (
  <div class="columns">
    <General flag={flag} />
    <Actions flag={flag} />
  </div>
));

/** Edits are compared with the flag alone, without its environments. */
function General({ flag }: FlagProps) {
  const params = paramsOf(flag);
  const types = useRead("GET /api/admin/feature-types").data?.types;
  const now = useLast(useRead(`GET ${FEATURE}`, { params }).data); // the frame of the view reports errors
  return now ? (
    <EditSection
      title="General"
      now={now}
      read={() => request(`GET ${FEATURE}`, { params })}
      toValues={(flag) => valuesOf(flag, { type: "", description: "", stale: false, impressionData: false })}
      fields={{
        type: choice("Type", named(types)),
        description: long("Description"),
        stale: check("Stale: ready to be removed from the code"),
        impressionData: check("Impression data: SDKs emit an event for each evaluation"),
      }}
      update={(values, ifStill) =>
        change(`PUT ${FEATURE}`, { params, body: { ...values, name: flag.name }, ifStill })
      }
    />
  ) : null;
}

/** Copy, move, complete and archive. */
function Actions({ flag }: FlagProps) {
  const { project } = flag;
  const isCompleted = flag.lifecycle?.stage === "completed";
  const mayUpdate = may("UPDATE_FEATURE", { project });
  const reopen = () => change(`POST ${FEATURE}/lifecycle/uncomplete`, { params: paramsOf(flag) });
  return (
    <section>
      <h2>Actions</h2>
      <div class="actions">
        <Opener isAllowed={may("CREATE_FEATURE", { project })} label="Copy" parameter="copy">
          <Copy flag={flag} />
        </Opener>
        <Opener isAllowed={may("MOVE_FEATURE_TOGGLE", { project })} label="Move" parameter="move">
          <Move flag={flag} />
        </Opener>
        {isCompleted && mayUpdate && <Button onClick={reopen}>Reopen</Button>}
        <Opener isAllowed={!isCompleted && mayUpdate} label="Mark as completed" parameter="complete">
          <Complete flag={flag} />
        </Opener>
        <ConfirmButton
          isAllowed={may("DELETE_FEATURE", { project })}
          label="Archive"
          kind="danger"
          icon="archive"
          parameter="archive"
          title={`Archive ${flag.name}?`}
          action="Archive the flag"
          onConfirm={() => change(`DELETE ${FEATURE}`, { params: paramsOf(flag) })}
          leadsTo={pathTo("projects", project)}
        >
          Applications that use it will fall back to their default. You can revive it from the project's
          archive.
        </ConfirmButton>
      </div>
    </section>
  );
}

const Copy = ({ flag }: FlagProps) => (
  <FormDialog
    title={`Copy ${flag.name}`}
    initial={{ name: `${flag.name}-copy`, replaceGroupId: true }}
    fields={() => ({
      name: text("Name of the copy", { required: true }),
      replaceGroupId: check("New group ID: rollouts of the copy reach different users"),
    })}
    submit="Create the copy"
    send={(body) => change(`POST ${FEATURE}/clone`, { params: paramsOf(flag), body })}
    leadsTo={({ name }) => flagPath(flag.project, name)}
  />
);

function Move({ flag }: FlagProps) {
  const projects = useRead("GET /api/admin/projects").data?.projects ?? [];
  const others = named(projects.filter(({ id }) => id !== flag.project));
  return (
    <FormDialog
      title={`Move ${flag.name}`}
      initial={{ newProjectId: "" }}
      fields={() => ({ newProjectId: choice("To project", [["", "choose a project"], ...others]) })}
      submit="Move the flag"
      send={(body) => change(`POST ${FEATURE}/changeProject`, { params: paramsOf(flag), body })}
      leadsTo={(_, { newProjectId }) => flagPath(newProjectId, flag.name)}
    />
  );
}

const OUTCOMES = [
  ["kept", "kept: the feature stays, for everyone"],
  ["discarded", "discarded: the feature was dropped"],
] as const;

const Complete = ({ flag }: FlagProps) => (
  <FormDialog
    title={`Mark ${flag.name} as completed`}
    initial={{ status: "kept" as (typeof OUTCOMES)[number][0], statusValue: "" }}
    fields={() => ({
      status: choice("Outcome", OUTCOMES),
      statusValue: text("Variant that was kept", { hint: "If the flag has variants." }),
    })}
    submit="Mark as completed"
    send={({ status, statusValue }) => {
      const body = { status, ...(statusValue !== "" && { statusValue }) };
      return change(`POST ${FEATURE}/lifecycle/complete`, { params: paramsOf(flag), body });
    }}
  />
);

/** The latest events of a flag. */
export const Log = inFlag(({ flag: { name: feature } }) => {
  const read = useRead("GET /api/admin/search/events", { query: { feature: `IS:${feature}`, limit: 50 } });
  return (
    <Answer read={read}>
      {({ events, total }) => (
        <>
          <EventList events={events} />
          {total > events.length && (
            <Link href={`/events?feature=${encodeURIComponent(feature)}`}>All {total} in the event log</Link>
          )}
        </>
      )}
    </Answer>
  );
});
