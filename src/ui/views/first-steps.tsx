import { Link } from "wouter-preact";
import { pathTo } from "../address.ts";
import { Icon } from "../parts/icon.tsx";
import { useRead } from "../reads.ts";

/** The steps to a flag that an application uses; hidden once an application has used one. */
export function FirstSteps() {
  const { data } = useRead("GET /api/admin/projects");
  const project = data?.projects.find(({ id }) => id === "default") ?? data?.projects[0];
  if (data === undefined || data.projects.some(({ lastReportedFlagUsage }) => lastReportedFlagUsage !== null))
    return null;
  return project ? (
    <StepsIn project={project.id} />
  ) : (
    <Steps done={0} project={undefined} feature={undefined} />
  );
}

function StepsIn({ project }: { project: string }) {
  const overview = useRead("GET /api/admin/projects/:projectId/overview", { params: { projectId: project } });
  const newest = useRead("GET /api/admin/search/features", {
    query: { project: `IS:${project}`, limit: 1, sortBy: "createdAt", sortOrder: "desc" },
  });
  if (!overview.data || !newest.data || overview.data.onboardingStatus.status === "onboarded") return null;
  const [feature] = newest.data.features;
  const isOn = feature?.environments.some(({ enabled }) => enabled);
  return <Steps done={feature ? (isOn ? 3 : 2) : 1} project={project} feature={feature?.name} />;
}

interface StepsProps {
  /** How many are done. */
  done: number;
  project: string | undefined;
  feature: string | undefined;
}

function Steps({ done, project = "default", feature = "" }: StepsProps) {
  const flag = pathTo("projects", project, "features", feature);
  const steps = [
    ["Create a project", "/projects?new=true"],
    ["Create a flag", `${pathTo("projects", project)}?new=true`],
    ["Turn it on in an environment", flag],
    [
      "Use it in your application",
      `/connect?project=${encodeURIComponent(project)}&feature=${encodeURIComponent(feature)}`,
    ],
  ] as const;
  return (
    <section class="panel">
      <h2>First steps</h2>
      <ol class="steps">
        {steps.map(([title, path], index) => (
          <li key={title} class={index < done ? "done" : undefined}>
            {index < done && <Icon name="check" />}
            {index === done ? (
              <Link class="button main" href={path}>
                {title}
              </Link>
            ) : (
              title
            )}
            {index < done && <span class="unseen"> (done)</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}
