import { pathTo, useFilters } from "../address.ts";
import type { Output } from "../api.ts";
import { FormDialog, Opener } from "../parts/dialog.tsx";
import { checks, choice, choicesOf, long, Tick, text } from "../parts/fields.tsx";
import { Search } from "../parts/filters.tsx";
import { Table } from "../parts/table.tsx";
import { Answer, Badge, Heading, ProjectLink, Share, Time } from "../parts/words.tsx";
import { change, useRead } from "../reads.ts";
import { may } from "../session.ts";
import { Favorite, MODES } from "./project/frame.tsx";

type Project = Output<"GET /api/admin/projects">["projects"][number];

/** All projects that the user can see. */
export function Projects() {
  const [filters, setFilters] = useFilters({ query: "", archived: "" });
  const read = useRead("GET /api/admin/projects", { query: { archived: filters.archived } });
  const query = filters.query.toLowerCase();
  const matches = ({ id, name }: Project) => `${id} ${name}`.toLowerCase().includes(query);
  return (
    <>
      <Heading title="Projects">
        <Search label="Search projects" />
        <Tick
          checked={filters.archived !== ""}
          onChange={(isArchived) => setFilters({ archived: isArchived ? "true" : "" })}
        >
          Archived
        </Tick>
        <Opener isAllowed={may("CREATE_PROJECT")} label="New project" kind="main" icon="add" parameter="new">
          <NewProject />
        </Opener>
      </Heading>
      <Answer read={read}>
        {({ projects }) => (
          <Table
            caption="Projects"
            rows={projects.filter(matches)}
            keyOf={({ id }) => id}
            empty="No projects found."
            columns={[
              [
                "Favorite",
                ({ id, name, favorite }) => (
                  <Favorite project={id} label={`Favorite: ${name}`} isFavorite={favorite} />
                ),
                "tools",
              ],
              ["Project", (project) => <Title project={project} />, "main"],
              ["Health", ({ health, name }) => <Share percent={health} label={`Health of ${name}`} />],
              ["Flags", ({ featureCount }) => featureCount, "number"],
              ["Members", ({ memberCount }) => memberCount, "number"],
              ["Mode", ({ mode }) => mode],
              ["Last usage", (project) => <Time at={project.lastReportedFlagUsage} />],
              ["Updated", ({ lastUpdatedAt }) => <Time at={lastUpdatedAt} />],
            ]}
          />
        )}
      </Answer>
    </>
  );
}

const Title = ({ project: { id, name, archivedAt } }: { project: Project }) => (
  <>
    <ProjectLink id={id} name={name} />{" "}
    <small>
      <bdi>{id}</bdi>
    </small>{" "}
    {archivedAt && <Badge>archived</Badge>}
  </>
);

const EMPTY = {
  name: "",
  id: "",
  description: "",
  mode: "open" as Project["mode"],
  environments: [] as readonly string[],
};

function NewProject() {
  const all = useRead("GET /api/admin/environments").data?.environments ?? [];
  return (
    <FormDialog
      title="New project"
      initial={EMPTY}
      fields={() => ({
        name: text("Name", { required: true }),
        id: text("ID", { hint: "Used in URLs. Leave empty to derive it from the name." }),
        description: long("Description"),
        mode: choice("Mode", MODES),
        environments: checks("Environments", choicesOf(all.map(({ name }) => name)), {
          hint: "All enabled environments if none is selected.",
        }),
      })}
      submit="Create the project"
      send={({ id, environments, ...rest }) => {
        const body = {
          ...rest,
          ...(id !== "" && { id }),
          ...(environments.length > 0 && { environments: [...environments] }),
        };
        return change("POST /api/admin/projects", { body });
      }}
      leadsTo={({ id }) => pathTo("projects", id)}
    />
  );
}
