import { Link, useLocation } from "wouter-preact";
import { pathTo } from "../../address.ts";
import type { Output } from "../../api.ts";
import { count } from "../../format.ts";
import { Histogram } from "../../parts/histogram.tsx";
import { Table, TableSection } from "../../parts/table.tsx";
import { Answer, FlagLink, Share } from "../../parts/words.tsx";
import { useRead } from "../../reads.ts";
import { inProject, PROJECT } from "./frame.tsx";

type Figures = Output<`GET ${typeof PROJECT}/insights`>;

/** How a project is doing: figures with what they were before, changes over time, and how soon flags get to production. */
export const Insights = inProject(({ id }) => (
  <Answer read={useRead(`GET ${PROJECT}/insights`, { params: { projectId: id } })} rows={6}>
    {(insights) => (
      <>
        <Tiles figures={insights} id={id} />
        <Changes id={id} />
        <div class="columns">
          <Types figures={insights} id={id} />
          <Stages id={id} />
          <TimeToProduction figures={insights} id={id} />
        </div>
      </>
    )}
  </Answer>
));

interface FiguresProps {
  figures: Figures;
  id: string;
}

/** Each with what it was in the 30 days before, and where it is looked at more closely. */
function Tiles({ figures: { health, stats, members }, id }: FiguresProps) {
  const changes = `/events?${new URLSearchParams({ project: id })}`;
  const trends = [
    ["Changes", changes, stats.projectActivityCurrentWindow, stats.projectActivityPastWindow],
    ["Flags created", pathTo("projects", id), stats.createdCurrentWindow, stats.createdPastWindow],
    [
      "Flags archived",
      pathTo("projects", id, "archive"),
      stats.archivedCurrentWindow,
      stats.archivedPastWindow,
    ],
    [
      "Members",
      pathTo("projects", id, "people"),
      members.currentMembers,
      members.currentMembers - members.change,
    ],
  ] as const;
  return (
    <ul class="tiles">
      <li class="card">
        <strong>Health</strong>
        <Share percent={health.rating} label="Health" />
        <small>
          {count(health.activeCount)} active, {count(health.potentiallyStaleCount)} potentially stale,{" "}
          <Link href={`${pathTo("projects", id)}?state=stale`}>{count(health.staleCount)} stale</Link>
        </small>
      </li>
      {trends.map(([title, to, now, before]) => (
        <li key={title} class="card">
          <strong>{title}</strong>
          <Link class="figure" href={to} aria-label={`${title}: ${count(now)}`}>
            {count(now)}
          </Link>
          <small>
            {now > before ? "▲ from" : now < before ? "▼ from" : "="} {count(before)} in the 30 days before
          </small>
        </li>
      ))}
    </ul>
  );
}

/** The changes of the project over time; some days of them lead to the log. */
function Changes({ id }: { id: string }) {
  const [, navigate] = useLocation();
  return (
    <Histogram
      title="Changes over time"
      query={{ project: `IS:${id}` }}
      onSelect={(days) => navigate(`/events?${new URLSearchParams({ project: id, ...days })}`)}
    />
  );
}

/** How many flags there are of each type, each a link to them. */
const Types = ({ figures: { featureTypeCounts }, id }: FiguresProps) => (
  <TableSection
    title="Flags by type"
    isCard
    rows={featureTypeCounts}
    keyOf={({ type }) => type}
    empty="No flags yet."
    columns={[
      [
        "Type",
        ({ type }) => <Link href={`${pathTo("projects", id)}?${new URLSearchParams({ type })}`}>{type}</Link>,
        "main",
      ],
      ["Flags", ({ count: flags }) => count(flags), "number"],
    ]}
  />
);

/** How many flags are in each stage of their life, each a link to them, and how long flags stay there. */
function Stages({ id }: { id: string }) {
  const read = useRead(`GET ${PROJECT}/status`, { params: { projectId: id } });
  return (
    <section class="card">
      <h2>Flags by stage</h2>
      <Answer read={read}>
        {({ lifecycleSummary: { archived: _, ...stages } }) => (
          <Table
            caption="Flags by stage"
            rows={Object.entries(stages)}
            keyOf={([stage]) => stage}
            empty="No flags yet."
            columns={[
              [
                "Stage",
                ([stage]) => (
                  <Link
                    href={`${pathTo("projects", id)}?${new URLSearchParams({ lifecycle: toFilter(stage) })}`}
                  >
                    {toFilter(stage)}
                  </Link>
                ),
                "main",
              ],
              ["Flags", ([, { currentFlags }]) => count(currentFlags), "number"],
              ["Days on average", ([, { averageDays }]) => averageDays ?? "", "number"],
            ]}
          />
        )}
      </Answer>
    </section>
  );
}

/** `preLive` is `pre-live` elsewhere. */
const toFilter = (stage: string) => stage.replace("preLive", "pre-live");

const TimeToProduction = ({ figures: { leadTime }, id }: FiguresProps) => (
  <TableSection
    title={`Time to production: ${leadTime.projectAverage} days on average`}
    caption="Days to production"
    isCard
    isShort
    rows={leadTime.features}
    keyOf={({ name }) => name}
    empty="No flag has been turned on in production yet."
    columns={[
      ["Flag", ({ name }) => <FlagLink project={id} name={name} />, "main"],
      ["Days", ({ timeToProduction }) => timeToProduction, "number"],
    ]}
  />
);
