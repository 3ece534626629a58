import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";
import { useFilters } from "../../address.ts";
import type { Output } from "../../api.ts";
import { count } from "../../format.ts";
import { choicesOf, Select } from "../../parts/fields.tsx";
import { Table } from "../../parts/table.tsx";
import { Answer, Nothing } from "../../parts/words.tsx";
import { useRead } from "../../reads.ts";
import { type Flag, FlagFrame } from "./frame.tsx";

type Hour = Output<"GET /api/admin/client-metrics/features/:name/raw">["data"][number];

/** How often applications evaluated a flag to on and to off in the last hours. */
export const Usage = () => <FlagFrame>{(flag) => <Hours flag={flag} />}</FlagFrame>;

function Hours({ flag }: { flag: Flag }) {
  const [{ hours, ...chosen }, setFilters] = useFilters({ environment: "", hours: "24" });
  const params = { name: flag.name };
  const read = useRead("GET /api/admin/client-metrics/features/:name/raw", {
    params,
    query: { hoursBack: hours },
  });
  const environment = chosen.environment || likelyEnvironment(flag, read.data?.data ?? []);
  return (
    <>
      <div class="filters">
        <Select
          label="Environment"
          value={environment}
          choices={choicesOf(flag.environments.map(({ name }) => name))}
          onChange={(environment) => setFilters({ environment })}
        />
        <Select
          label="Period"
          value={hours}
          choices={["6", "24", "48"].map((hours) => [hours, `last ${hours} hours`])}
          onChange={(hours) => setFilters({ hours })}
        />
      </div>
      <Answer read={read}>
        {({ data }) => <EnvironmentUsage hours={data.filter((hour) => hour.environment === environment)} />}
      </Answer>
    </>
  );
}

/** The last environment with usage; without any, the last where the flag is on. */
function likelyEnvironment({ environments }: Flag, hours: readonly Hour[]): string {
  const used = new Set(hours.filter(({ yes, no }) => yes + no > 0).map((hour) => hour.environment));
  const likely =
    environments.findLast(({ name }) => used.has(name)) ??
    environments.findLast(({ enabled }) => enabled) ??
    environments.at(-1);
  return likely?.name ?? "";
}

/** The evaluations as a chart, and by application in a table. */
function EnvironmentUsage({ hours }: { hours: Hour[] }) {
  if (hours.every(({ yes, no }) => yes + no === 0))
    return <Nothing>No application has evaluated the flag here in this period.</Nothing>;
  return (
    <>
      <Chart hours={hours} />
      <Table
        caption="Usage by application"
        rows={byApplication(hours)}
        keyOf={({ name }) => name}
        empty="No applications."
        columns={[
          ["Application", ({ name }) => <bdi>{name}</bdi>, "main"],
          ["On", ({ yes }) => count(yes), "number"],
          ["Off", ({ no }) => count(no), "number"],
        ]}
      />
    </>
  );
}

const byApplication = (hours: readonly Hour[]) =>
  [...Map.groupBy(hours, ({ appName }) => appName)]
    .map(([name, own]) => ({ name, yes: sum(own, "yes"), no: sum(own, "no") }))
    .filter(({ yes, no }) => yes + no > 0);

const sum = (hours: readonly Hour[], result: "yes" | "no") =>
  hours.reduce((total, hour) => total + hour[result], 0);

const TITLE = "Evaluations per hour";

/** A line chart over time; the view shows the same numbers in a table. */
function Chart({ hours }: { hours: readonly Hour[] }) {
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const target = element.current!;
    const byTime = [...Map.groupBy(hours, ({ timestamp }) => Date.parse(timestamp) / 1000)];
    byTime.sort(([one], [other]) => one - other);
    const data = [
      byTime.map(([time]) => time),
      byTime.map(([, own]) => sum(own, "yes")),
      byTime.map(([, own]) => sum(own, "no")),
    ] satisfies UPlot.AlignedData;
    const plot = new UPlot(optionsFor(target.clientWidth), data, target);
    const resize = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
    resize.observe(target);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [JSON.stringify(hours)]);
  return <div class="chart" ref={element} role="img" aria-label={TITLE} />;
}

const HEIGHT = 220;

/** The lines are told apart by more than their colours. */
function optionsFor(width: number): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => resolved(style.getPropertyValue(name));
  const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 } };
  return {
    title: TITLE,
    width,
    height: HEIGHT,
    axes: [axis, axis],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    series: [
      {},
      { label: "on", stroke: colour("--accent"), width: 2 },
      { label: "off", stroke: colour("--faint"), width: 2, dash: [6, 4] },
    ],
  };
}

/** A canvas doesn't support `light-dark()`, so an element's computed style resolves the colour. */
function resolved(value: string) {
  const probe = document.createElement("span");
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
