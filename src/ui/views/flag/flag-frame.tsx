import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Link, useParams } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { Answer, Failure } from "../../parts/answer.tsx";
import { IconButton } from "../../parts/button.tsx";
import { DeadEnd } from "../../parts/dead-end.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { Badge, Heading } from "../../parts/words.tsx";
import { change, useRead } from "../../reads.ts";

export type Flag = Output<"GET /api/admin/projects/:projectId/features/:featureName">;
export type FlagEnvironment = Flag["environments"][number];
export type FlagStrategy = FlagEnvironment["strategies"][number];

/** The frame of every view of a flag; `children` renders the rest. */
export function FlagFrame({ children }: { children(flag: Flag): ComponentChildren }) {
  const { projectId = "", featureName = "" } = useParams();
  const read = useRead("GET /api/admin/projects/:projectId/features/:featureName", {
    params: { projectId, featureName },
    query: { variantEnvironments: true },
  });
  useEffect(() => {
    document.title = `${featureName} · Flagstone`;
  }, [featureName]);
  const project = useRead("GET /api/admin/projects/:projectId/overview", { params: { projectId } });
  const failure = (error: Error) => (
    <DeadEnd title={featureName} links={linksFrom(projectId, featureName)}>
      <Failure error={error} />
    </DeadEnd>
  );
  return (
    <Answer key={`${projectId}/${featureName}`} read={read} failure={failure}>
      {(flag) => (
        <>
          <Link href={pathTo("projects", flag.project)}>
            <bdi>{project.data?.name ?? flag.project}</bdi>
          </Link>
          <Heading title={<Title flag={flag} />} beside={<Favorite flag={flag} />} />
          <Tabs label={`Flag ${flag.name}`} tabs={tabsOf(flag)} />
          {children(flag)}
        </>
      )}
    </Answer>
  );
}

/** Where to go from a flag that is archived, deleted or hidden: an archived one can be revived in the archive. */
const linksFrom = (project: string, feature: string) =>
  [
    [pathTo("projects", project, "archive"), "Archived flags of the project"],
    [`/events?feature=${encodeURIComponent(feature)}`, "Events of this flag"],
    [pathTo("projects", project), "Flags of the project"],
    ["/projects", "All projects"],
  ] as const;

const tabsOf = ({ project, name }: Flag) =>
  [
    [pathTo("projects", project, "features", name), "Flag"],
    [pathTo("projects", project, "features", name, "use"), "Usage"],
    [pathTo("projects", project, "features", name, "log"), "Log"],
    [pathTo("projects", project, "features", name, "settings"), "Settings"],
  ] as const;

const Title = ({ flag: { name, type, stale, lifecycle } }: { flag: Flag }) => (
  <>
    <bdi>{name}</bdi> <Badge>{type}</Badge> {stale && <Badge tone="bad">stale</Badge>}{" "}
    {lifecycle && <Badge>{lifecycle.stage}</Badge>}
  </>
);

const Favorite = ({ flag: { name, project, favorite } }: { flag: Flag }) => (
  <IconButton
    icon="star"
    label="Favorite"
    isPressed={favorite}
    onClick={() =>
      change(
        `${favorite ? "DELETE" : "POST"} /api/admin/projects/:projectId/features/:featureName/favorites`,
        { params: { projectId: project, featureName: name } },
      )
    }
  />
);
