import { Link } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { Answer } from "../../parts/answer.tsx";
import { Table } from "../../parts/table.tsx";
import { Share } from "../../parts/words.tsx";
import { useRead } from "../../reads.ts";
import { ProjectFrame } from "./project-frame.tsx";

type Insights = Output<"GET /api/admin/projects/:projectId/insights">;

/** The health of a project's flags, and its recent activity. */
export const View = () => <ProjectFrame>{(_, id) => <ProjectInsights id={id} />}</ProjectFrame>;

function ProjectInsights({ id }: { id: string }) {
  const read = useRead("GET /api/admin/projects/:projectId/insights", { params: { projectId: id } });
  return (
    <Answer read={read}>
      {(insights) => (
        <div class="columns">
          <Figures insights={insights} />
          <LeadTimes id={id} leadTime={insights.leadTime} />
        </div>
      )}
    </Answer>
  );
}

function Figures({ insights: { health, stats, members, featureTypeCounts } }: { insights: Insights }) {
  const figures = [
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
  return (
    <section>
      <h2>Overview</h2>
      <dl class="figures">
        {figures.map(([title, value]) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const compared = (now: number, before: number) => `${now} (${before} in the previous 30 days)`;

const LeadTimes = ({ id, leadTime }: { id: string; leadTime: Insights["leadTime"] }) => (
  <section>
    <h2>Time to production: {leadTime.projectAverage} days on average</h2>
    <Table
      caption="Days to production"
      rows={leadTime.features}
      keyOf={({ name }) => name}
      empty="No flag has been turned on in production yet."
      columns={[
        {
          title: "Flag",
          kind: "main",
          cell: ({ name }) => (
            <Link href={pathTo("projects", id, "features", name)}>
              <bdi>{name}</bdi>
            </Link>
          ),
        },
        { title: "Days", kind: "number", cell: ({ timeToProduction }) => timeToProduction },
      ]}
    />
  </section>
);
