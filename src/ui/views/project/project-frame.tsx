import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useParams } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { Answer, Failure } from "../../parts/answer.tsx";
import { IconButton } from "../../parts/button.tsx";
import { DeadEnd } from "../../parts/dead-end.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Badge, Heading } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";

export type Project = Output<"GET /api/admin/projects/:projectId/overview">;

/** The frame of every view of a project; `children` renders the rest. */
export function ProjectFrame({
  actions,
  children,
}: {
  actions?: (project: Project, id: string) => ComponentChildren;
  children(project: Project, id: string): ComponentChildren;
}) {
  const { projectId = "" } = useParams();
  const read = useRead("GET /api/admin/projects/:projectId/overview", { params: { projectId } });
  const name = read.data?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Flagstone`;
  }, [name]);
  const failure = (error: Error) => (
    <DeadEnd title={projectId} links={[["/projects", "All projects"]]}>
      <Failure error={error} />
    </DeadEnd>
  );
  return (
    <Answer key={projectId} read={read} failure={failure}>
      {(project) => (
        <>
          <Heading title={<Title project={project} />} beside={<Favorite project={project} id={projectId} />}>
            {actions?.(project, projectId)}
          </Heading>
          <Tabs label={`Project ${project.name}`} tabs={tabsOf(projectId)} />
          {children(project, projectId)}
        </>
      )}
    </Answer>
  );
}

const tabsOf = (id: string) =>
  [
    [pathTo("projects", id), "Flags"],
    [pathTo("projects", id, "insights"), "Insights"],
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

const Favorite = ({ project: { favorite }, id }: { project: Project; id: string }) => (
  <IconButton
    icon="star"
    label="Favorite"
    isPressed={favorite}
    onClick={() =>
      change(`${favorite ? "DELETE" : "POST"} /api/admin/projects/:projectId/favorites`, {
        params: { projectId: id },
      })
    }
  />
);
