import { Link, useLocation } from "wouter-preact";
import { pathTo, useDialog, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { Answer } from "../parts/answer.tsx";
import { Button, IconButton } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { ChecksField, ChoiceField, choicesOf, LongField, TextField } from "../parts/fields.tsx";
import { Form, useForm } from "../parts/form.tsx";
import { SearchField } from "../parts/search.tsx";
import { Table } from "../parts/table.tsx";
import { Badge, Heading, Share, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";
import { MODES } from "./project-modes.ts";

type Project = Output<"GET /api/admin/projects">["projects"][number];

/** All projects that the user can see. */
export function View() {
  const [filters, setFilters] = useFilters({ query: "", archived: "" });
  const creating = useDialog("new");
  const read = useRead("GET /api/admin/projects", { query: { archived: filters.archived } });
  const query = filters.query.toLowerCase();
  const matches = ({ id, name }: Project) => `${id} ${name}`.toLowerCase().includes(query);
  return (
    <>
      <Heading title="Projects">
        <SearchField
          label="Search projects"
          value={filters.query}
          onSearch={(query) => setFilters({ query })}
        />
        <label>
          <input
            type="checkbox"
            checked={filters.archived !== ""}
            onChange={(event) => setFilters({ archived: event.currentTarget.checked ? "true" : "" })}
          />
          Archived
        </label>
        {may("CREATE_PROJECT") && (
          <Button kind="main" icon="add" onClick={() => creating.open()}>
            New project
          </Button>
        )}
      </Heading>
      <Answer read={read}>{({ projects }) => <Projects projects={projects.filter(matches)} />}</Answer>
      {creating.of && <NewProject onClose={creating.close} />}
    </>
  );
}

const Projects = ({ projects }: { projects: Project[] }) => (
  <Table
    caption="Projects"
    rows={projects}
    keyOf={({ id }) => id}
    empty="No projects found."
    columns={[
      { title: "Favorite", kind: "tools", cell: (project) => <Favorite project={project} /> },
      {
        title: "Project",
        kind: "main",
        cell: ({ id, name, archivedAt }) => (
          <>
            <Link href={pathTo("projects", id)}>
              <bdi>{name}</bdi>
            </Link>{" "}
            <small>
              <bdi>{id}</bdi>
            </small>{" "}
            {archivedAt && <Badge>archived</Badge>}
          </>
        ),
      },
      { title: "Health", cell: ({ health, name }) => <Share percent={health} label={`Health of ${name}`} /> },
      { title: "Flags", kind: "number", cell: ({ featureCount }) => featureCount },
      { title: "Members", kind: "number", cell: ({ memberCount }) => memberCount },
      { title: "Mode", cell: ({ mode }) => mode },
      { title: "Last usage", cell: ({ lastReportedFlagUsage }) => <Time at={lastReportedFlagUsage} /> },
      { title: "Updated", cell: ({ lastUpdatedAt }) => <Time at={lastUpdatedAt} /> },
    ]}
  />
);

const Favorite = ({ project: { id, name, favorite } }: { project: Project }) => (
  <IconButton
    icon="star"
    label={`Favorite: ${name}`}
    isPressed={favorite}
    onClick={() =>
      change(`${favorite ? "DELETE" : "POST"} /api/admin/projects/:projectId/favorites`, {
        params: { projectId: id },
      })
    }
  />
);

function NewProject({ onClose }: { onClose(): void }) {
  const [, navigate] = useLocation();
  const environments = useRead("GET /api/admin/environments").data?.environments ?? [];
  const form = useForm(
    { name: "", id: "", description: "", mode: "open", environments: [] as readonly string[] },
    async ({ name, id, description, mode, environments }) => {
      const project = await change("POST /api/admin/projects", {
        body: {
          name,
          description,
          mode: mode as Project["mode"],
          ...(id !== "" && { id }),
          ...(environments.length > 0 && { environments: [...environments] }),
        },
      });
      navigate(pathTo("projects", project.id), { replace: true });
    },
  );
  return (
    <Dialog title="New project" onClose={onClose}>
      <Form form={form} submit="Create the project" onCancel={onClose}>
        <TextField form={form} name="name" label="Name" isRequired autofocus />
        <TextField
          form={form}
          name="id"
          label="ID"
          hint="Used in URLs. Leave empty to derive it from the name."
        />
        <LongField form={form} name="description" label="Description" />
        <ChoiceField form={form} name="mode" label="Mode" choices={MODES} />
        <ChecksField
          form={form}
          name="environments"
          label="Environments"
          hint="All enabled environments if none is selected."
          choices={choicesOf(environments.map(({ name }) => name))}
        />
      </Form>
    </Dialog>
  );
}
