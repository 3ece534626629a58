import { request } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../parts/controls.tsx";
import { ConfirmButton, RemoveButton } from "../../parts/dialog.tsx";
import { EditSection } from "../../parts/edit.tsx";
import { choice, long, text, valuesOf } from "../../parts/fields.tsx";
import { Table } from "../../parts/table.tsx";
import { Answer, Time } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { may } from "../../session.ts";
import { inProject, MODES, PROJECT, type ProjectProps } from "./frame.tsx";

/** A project's name, mode and naming pattern, and the actions to archive or delete it. */
export const Settings = inProject(({ project, id }) => (
  <div class="columns">
    <General project={project} id={id} />
    <div>
      <Naming project={project} id={id} />
      {id !== "default" && may("DELETE_PROJECT", { project: id }) && (
        <ArchiveOrDelete project={project} id={id} />
      )}
    </div>
  </div>
));

/** A project's name, description and mode. */
const General = ({ project, id }: ProjectProps) => (
  <EditSection
    title="General"
    now={project}
    read={() => request(`GET ${PROJECT}/overview`, { params: { projectId: id } })}
    toValues={({ mode, ...texts }) => ({
      ...valuesOf(texts, { name: "", description: "", defaultStickiness: "" }),
      mode,
    })}
    fields={{
      name: text("Name", { required: true }),
      description: long("Description"),
      mode: choice("Mode", MODES),
      defaultStickiness: text("Default stickiness"),
    }}
    update={(body, ifStill) => change(`PUT ${PROJECT}`, { params: { projectId: id }, body, ifStill })}
  />
);

/** The naming pattern for a project's flags. */
const Naming = ({ project, id }: ProjectProps) => (
  <EditSection
    title="Flag naming"
    now={project}
    read={() => request(`GET ${PROJECT}/overview`, { params: { projectId: id } })}
    toValues={({ featureNaming }) => valuesOf(featureNaming, { pattern: "", example: "", description: "" })}
    fields={{
      pattern: text("Pattern", {
        hint: "A regular expression that new flags must match. Leave empty to allow any name.",
      }),
      example: text("Example"),
      description: long("Explanation"),
    }}
    update={({ pattern, example, description }, ifStill) => {
      const featureNaming = {
        pattern: pattern || null,
        example: example || null,
        description: description || null,
      };
      return change(`PUT ${PROJECT}/settings`, {
        params: { projectId: id },
        body: { featureNaming },
        ifStill,
      });
    }}
  />
);

const LOG_STAYS = "Its events stay in the log.";

function ArchiveOrDelete({ project: { name, archivedAt, featureTypeCounts }, id }: ProjectProps) {
  const flags = featureTypeCounts.reduce((sum, { count }) => sum + count, 0);
  const params = { projectId: id };
  const shared = {
    kind: "danger",
    leadsTo: "/projects",
    obstacle:
      flags > 0 ? "Archive its flags first: a project that has any can't be archived or deleted." : "",
  } as const;
  const titled = (question: string) => (flags > 0 ? `${name} still has ${counted(flags, "flag")}` : question);
  return (
    <section>
      <h2>Archive or delete</h2>
      <div class="actions">
        {archivedAt ? (
          <Button onClick={() => change("POST /api/admin/projects/revive/:projectId", { params })}>
            Revive
          </Button>
        ) : (
          <ConfirmButton
            {...shared}
            label="Archive the project"
            icon="archive"
            parameter="archive"
            title={titled(`Archive ${name}?`)}
            action="Archive the project"
            onConfirm={() => change("POST /api/admin/projects/archive/:projectId", { params })}
          >
            It will no longer be listed. You can revive the project later.
          </ConfirmButton>
        )}
        <ConfirmButton
          {...shared}
          label="Delete permanently"
          icon="remove"
          parameter="remove"
          title={titled(`Delete ${name} permanently?`)}
          action="Delete the project"
          onConfirm={() => change(`DELETE ${PROJECT}`, { params })}
        >
          The project, its archived flags and its members' roles will be deleted. {LOG_STAYS}
        </ConfirmButton>
      </div>
    </section>
  );
}

/** The archived flags of a project, to revive or delete permanently. */
export const Archive = inProject(({ id: project }) => {
  const params = { projectId: project };
  const read = useRead("GET /api/admin/archive/features/:projectId", { params });
  const send = (action: "revive" | "delete", name: string) =>
    change(`POST ${PROJECT}/${action}`, { params, body: { features: [name] } });
  const tools = ({ name }: { name: string }) => (
    <div class="tools">
      {may("UPDATE_FEATURE", { project }) && <Button onClick={() => send("revive", name)}>Revive</Button>}
      {may("DELETE_FEATURE", { project }) && (
        <RemoveButton
          label={`Delete ${name} permanently`}
          of={name}
          title={`Delete ${name} permanently?`}
          action="Delete permanently"
          onConfirm={() => send("delete", name)}
        >
          The flag and its strategies will be deleted. {LOG_STAYS}
        </RemoveButton>
      )}
    </div>
  );
  return (
    <Answer read={read}>
      {({ features }) => (
        <Table
          caption="Archived flags"
          rows={features}
          keyOf={({ name }) => name}
          empty="No archived flags."
          columns={[
            ["Flag", ({ name }) => <bdi>{name}</bdi>, "main"],
            ["Type", ({ type }) => type],
            ["Archived", ({ archivedAt }) => <Time at={archivedAt} />],
            ["Actions", tools, "tools"],
          ]}
        />
      )}
    </Answer>
  );
});
