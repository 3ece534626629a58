import { useLocation } from "wouter-preact";
import { useDialog } from "../../address.ts";
import { type Output, request } from "../../api.ts";
import { counted } from "../../format.ts";
import { Answer } from "../../parts/answer.tsx";
import { Button, IconButton, tell } from "../../parts/controls.tsx";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { EditForm, useEdit } from "../../parts/edit.tsx";
import { choice, long, text } from "../../parts/form.tsx";
import { Table } from "../../parts/table.tsx";
import { FlagLink, Share, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { MODES, PROJECT, type Project, ProjectFrame } from "./frame.tsx";

/** A project's name, mode and naming pattern, and the actions to archive or delete it. */
export const Settings = () => (
  <ProjectFrame>
    {(project, id) => (
      <div class="columns">
        <General key={id} project={project} id={id} />
        <div>
          <Naming key={id} project={project} id={id} />
          {id !== "default" && may("DELETE_PROJECT", { project: id }) && (
            <ArchiveOrDelete project={project} id={id} />
          )}
        </div>
      </div>
    )}
  </ProjectFrame>
);

interface SettingsProps {
  project: Project;
  id: string;
}

const GENERAL = {
  name: text("Name", { required: true }),
  description: long("Description"),
  mode: choice("Mode", MODES),
  defaultStickiness: text("Default stickiness"),
};

/** A project's name, description and mode. */
function General({ project, id }: SettingsProps) {
  const params = { projectId: id };
  const edit = useEdit({
    now: project,
    read: () => request(`GET ${PROJECT}/overview`, { params }),
    toValues: ({ name, description, mode, defaultStickiness }) => ({
      name,
      description: description ?? "",
      mode,
      defaultStickiness,
    }),
    async save(body, ifStill) {
      await change(`PUT ${PROJECT}`, { params, body, ifStill });
      tell("Saved");
    },
  });
  return (
    <section>
      <h2>General</h2>
      <EditForm edit={edit} fields={GENERAL} submit="Save" />
    </section>
  );
}

const NAMING = {
  pattern: text("Pattern", {
    hint: "A regular expression that new flags must match. Leave empty to allow any name.",
  }),
  example: text("Example"),
  description: long("Explanation"),
};

/** The naming pattern for a project's flags. */
function Naming({ project, id }: SettingsProps) {
  const params = { projectId: id };
  const edit = useEdit({
    now: project,
    read: () => request(`GET ${PROJECT}/overview`, { params }),
    toValues: ({ featureNaming: { pattern, example, description } }) => ({
      pattern: pattern ?? "",
      example: example ?? "",
      description: description ?? "",
    }),
    async save({ pattern, example, description }, ifStill) {
      const featureNaming = {
        pattern: pattern || null,
        example: example || null,
        description: description || null,
      };
      await change(`PUT ${PROJECT}/settings`, { params, body: { featureNaming }, ifStill });
      tell("Saved");
    },
  });
  return (
    <section>
      <h2>Flag naming</h2>
      <EditForm edit={edit} fields={NAMING} submit="Save" />
    </section>
  );
}

function ArchiveOrDelete({ project: { name, archivedAt, featureTypeCounts }, id }: SettingsProps) {
  const archiving = useDialog("archive");
  const removing = useDialog("remove");
  const open = [archiving, removing].find(({ of }) => of);
  const [, navigate] = useLocation();
  const flags = featureTypeCounts.reduce((sum, { count }) => sum + count, 0);
  const params = { projectId: id };
  const archive = async () => {
    await change("POST /api/admin/projects/archive/:projectId", { params });
    navigate("/projects", { replace: true });
  };
  const remove = async () => {
    await change(`DELETE ${PROJECT}`, { params });
    navigate("/projects", { replace: true });
  };
  return (
    <section>
      <h2>Archive or delete</h2>
      <div class="actions">
        {archivedAt ? (
          <Button onClick={() => change("POST /api/admin/projects/revive/:projectId", { params })}>
            Revive
          </Button>
        ) : (
          <Button icon="archive" kind="danger" onClick={() => archiving.open()}>
            Archive the project
          </Button>
        )}
        <Button icon="remove" kind="danger" onClick={() => removing.open()}>
          Delete permanently
        </Button>
      </div>
      {open && flags > 0 && (
        <Dialog title={`${name} still has ${counted(flags, "flag")}`} onClose={open.close}>
          Archive its flags first: a project that has any can't be archived or deleted.
        </Dialog>
      )}
      {flags === 0 && archiving.of && (
        <Confirm
          title={`Archive ${name}?`}
          action="Archive the project"
          onConfirm={archive}
          onClose={archiving.close}
        >
          It will no longer be listed. You can revive the project later.
        </Confirm>
      )}
      {flags === 0 && removing.of && (
        <Confirm
          title={`Delete ${name} permanently?`}
          action="Delete the project"
          onConfirm={remove}
          onClose={removing.close}
        >
          The project, its archived flags and its members' roles will be deleted. Its events stay in the log.
        </Confirm>
      )}
    </section>
  );
}

/** The archived flags of a project, to revive or delete permanently. */
export const Archive = () => <ProjectFrame>{(_, id) => <ArchivedFlags project={id} />}</ProjectFrame>;

function ArchivedFlags({ project }: { project: string }) {
  const params = { projectId: project };
  const read = useRead("GET /api/admin/archive/features/:projectId", { params });
  const removing = useDialog("remove");
  const removed = read.data?.features.find(({ name }) => name === removing.of)?.name;
  const bodyOf = (name: string) => ({ params, body: { features: [name] } });
  const tools = ({ name }: { name: string }) => (
    <div class="tools">
      {may("UPDATE_FEATURE", { project }) && (
        <Button onClick={() => change(`POST ${PROJECT}/revive`, bodyOf(name))}>Revive</Button>
      )}
      {may("DELETE_FEATURE", { project }) && (
        <IconButton icon="remove" label={`Delete ${name} permanently`} onClick={() => removing.open(name)} />
      )}
    </div>
  );
  return (
    <>
      <Answer read={read}>
        {({ features }) => (
          <Table
            caption="Archived flags"
            rows={features}
            keyOf={({ name }) => name}
            empty="No archived flags."
            columns={[
              { title: "Flag", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
              { title: "Type", cell: ({ type }) => type },
              { title: "Archived", cell: ({ archivedAt }) => <Time at={archivedAt} /> },
              { title: "Actions", kind: "tools", cell: tools },
            ]}
          />
        )}
      </Answer>
      {removed && (
        <Confirm
          title={`Delete ${removed} permanently?`}
          action="Delete permanently"
          onConfirm={() => change(`POST ${PROJECT}/delete`, bodyOf(removed))}
          onClose={removing.close}
        >
          The flag and its strategies will be deleted. Its events stay in the log.
        </Confirm>
      )}
    </>
  );
}

/** The health of a project's flags, and its recent activity. */
export const Insights = () => <ProjectFrame>{(_, id) => <Overview id={id} />}</ProjectFrame>;

type Figures = Output<`GET ${typeof PROJECT}/insights`>;

const Overview = ({ id }: { id: string }) => (
  <Answer read={useRead(`GET ${PROJECT}/insights`, { params: { projectId: id } })}>
    {(insights) => (
      <div class="columns">
        <section>
          <h2>Overview</h2>
          <dl class="figures">
            {figuresIn(insights).map(([title, value]) => (
              <div key={title}>
                <dt>{title}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </section>
        <section>
          <h2>Time to production: {insights.leadTime.projectAverage} days on average</h2>
          <Table
            caption="Days to production"
            rows={insights.leadTime.features}
            keyOf={({ name }) => name}
            empty="No flag has been turned on in production yet."
            columns={[
              { title: "Flag", kind: "main", cell: ({ name }) => <FlagLink project={id} name={name} /> },
              { title: "Days", kind: "number", cell: ({ timeToProduction }) => timeToProduction },
            ]}
          />
        </section>
      </div>
    )}
  </Answer>
);

const figuresIn = ({ health, stats, members, featureTypeCounts }: Figures) =>
  [
    ["Health", <Share key="health" percent={health.rating} label="Health" />],
    ["Active flags", health.activeCount],
    ["Stale", health.staleCount],
    ["Potentially stale", health.potentiallyStaleCount],
    [
      "Changes in the last 30 days",
      compared(stats.projectActivityCurrentWindow, stats.projectActivityPastWindow),
    ],
    ["Created in the last 30 days", compared(stats.createdCurrentWindow, stats.createdPastWindow)],
    ["Archived in the last 30 days", compared(stats.archivedCurrentWindow, stats.archivedPastWindow)],
    ["Members", members.currentMembers],
    ...featureTypeCounts.map(({ type, count }) => [`Type ${type}`, count] as const),
  ] as const;

const compared = (now: number, before: number) => `${now} (${before} in the previous 30 days)`;
