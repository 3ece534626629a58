import { useFilter } from "../address.ts";
import { listed } from "../format.ts";
import { named } from "../parts/fields.tsx";
import { Filter } from "../parts/filters.tsx";
import { Badge, Heading, ProjectLink } from "../parts/words.tsx";
import { useRead } from "../reads.ts";
import { FlagList, type FoundFlag } from "./project/flags.tsx";

/** The flags of all projects that the user can see. */
export function AllFlags() {
  const [project] = useFilter("project");
  const { projects = [] } = useRead("GET /api/admin/projects").data ?? {};
  return (
    <>
      <Heading title="Flags" />
      <FlagList
        project={project}
        filter={<Filter label="Project" name="project" choices={named(projects)} />}
        fixed={[
          ["Project", ({ project }) => <ProjectLink id={project} name={nameIn(projects, project)} />],
          ["State", (flag) => <State flag={flag} />],
        ]}
      />
    </>
  );
}

const nameIn = (projects: ReadonlyArray<{ id: string; name: string }>, project: string) =>
  projects.find(({ id }) => id === project)?.name ?? project;

/** The environments in which a flag is on: each project has its own. */
function State({ flag: { environments } }: { flag: FoundFlag }) {
  const on = environments.filter(({ enabled }) => enabled).map(({ name }) => name);
  return on.length === 0 ? (
    <Badge>off</Badge>
  ) : (
    <>
      <Badge tone="good">on</Badge> <small>in {listed(on)}</small>
    </>
  );
}
