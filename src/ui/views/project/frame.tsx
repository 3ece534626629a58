import type { ComponentType } from "preact";
import { useParams } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { IconButton } from "../../parts/controls.tsx";
import { AsOf } from "../../parts/past.tsx";
import { Drafts } from "../../parts/requests.tsx";
import { Answer, Badge, DeadEnd, Failure, Heading, Tabs } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";
import { useVisit } from "../../recent.ts";

export const PROJECT = "/api/admin/projects/:projectId";

export type Project = Output<`GET ${typeof PROJECT}/overview`>;

/** Who can see a project, and who can contribute to it. */
export const MODES = [
  ["open", "open: everyone can view and contribute"],
  ["protected", "protected: everyone can view, only members can contribute"],
  ["private", "private: only members can see it"],
] as const;

export interface ProjectProps {
  project: Project;
  id: string;
}

/** A view of a project: what it shows below the project's name and tabs, and its actions. */
export const inProject =
  (Shown: ComponentType<ProjectProps>, Actions?: ComponentType<ProjectProps>) => () => {
    const { projectId: id = "" } = useParams();
    const read = useRead(`GET ${PROJECT}/overview`, { params: { projectId: id } });
    useVisit(pathTo("projects", id), read.data?.name);
    const failure = (error: Error) => (
      <DeadEnd title={id} links={[["/projects", "All projects"]]}>
        <Failure error={error} />
      </DeadEnd>
    );
    return (
      <Answer key={id} read={read} failure={failure}>
        {(project) => (
          <>
            <Heading
              trail={[["/projects", "Projects"]]}
              title={<Title project={project} />}
              beside={<Favorite project={id} isFavorite={project.favorite} />}
            >
              <AsOf />
              {Actions && <Actions project={project} id={id} />}
            </Heading>
            <Tabs label={`Project ${project.name}`} tabs={tabsOf(id)} />
            <Drafts project={id} />
            <Shown project={project} id={id} />
          </>
        )}
      </Answer>
    );
  };

const tabsOf = (id: string) =>
  [
    [pathTo("projects", id), "Flags"],
    [pathTo("projects", id, "insights"), "Insights"],
    [pathTo("projects", id, "change-requests"), "Changes"],
    [pathTo("projects", id, "people"), "Members"],
    [pathTo("projects", id, "environments"), "Environments"],
    [pathTo("projects", id, "tokens"), "Tokens"],
    [pathTo("projects", id, "archive"), "Archive"],
    [pathTo("projects", id, "settings"), "Settings"],
  ] as const;

const Title = ({ project: { name, mode, archivedAt } }: { project: Project }) => (
  <>
    <bdi>{name}</bdi> {mode !== "open" && <Badge>{mode}</Badge>} {archivedAt && <Badge>archived</Badge>}
  </>
);

interface FavoriteProps {
  project: string;
  /** Undefined for the project itself. */
  flag?: string;
  label?: string;
  isFavorite: boolean;
}

/** Marks a project or a flag as one of the user's favorites. */
export function Favorite({ project, flag, label = "Favorite", isFavorite }: FavoriteProps) {
  const method = isFavorite ? "DELETE" : "POST";
  const mark = () =>
    flag === undefined
      ? change(`${method} ${PROJECT}/favorites`, { params: { projectId: project } })
      : change(`${method} ${PROJECT}/features/:featureName/favorites`, {
          params: { projectId: project, featureName: flag },
        });
  return <IconButton icon="star" label={label} isPressed={isFavorite} onClick={mark} />;
}
