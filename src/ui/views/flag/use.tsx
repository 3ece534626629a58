import { useFilters } from "../../address.ts";
import type { Output } from "../../api.ts";
import { count } from "../../format.ts";
import { Answer, Nothing } from "../../parts/answer.tsx";
import { Chart, type Line } from "../../parts/chart.tsx";
import { Table } from "../../parts/table.tsx";
import { useRead } from "../../reads.ts";
import { type Flag, FlagFrame } from "./flag-frame.tsx";

type Hour = Output<"GET /api/admin/client-metrics/features/:name/raw">["data"][number];

/** How often applications evaluated a flag to on and to off in the last hours. */
export const View = () => <FlagFrame>{(flag) => <Usage flag={flag} />}</FlagFrame>;

function Usage({ flag }: { flag: Flag }) {
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
        <select
          aria-label="Environment"
          value={environment}
          onChange={(event) => setFilters({ environment: event.currentTarget.value })}
        >
          {flag.environments.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
        <select
          aria-label="Period"
          value={hours}
          onChange={(event) => setFilters({ hours: event.currentTarget.value })}
        >
          {["6", "24", "48"].map((value) => (
            <option key={value} value={value}>
              last {value} hours
            </option>
          ))}
        </select>
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
  const times = [...new Set(hours.map(({ timestamp }) => timestamp))].sort();
  const sum = (time: string, pick: (hour: Hour) => number) =>
    hours.filter(({ timestamp }) => timestamp === time).reduce((total, hour) => total + pick(hour), 0);
  const lines: Line[] = [
    { title: "on", values: times.map((time) => sum(time, ({ yes }) => yes)) },
    { title: "off", values: times.map((time) => sum(time, ({ no }) => no)), isDashed: true },
  ];
  return (
    <>
      <Chart
        title="Evaluations per hour"
        times={times.map((time) => Date.parse(time) / 1000)}
        lines={lines}
      />
      <Table
        caption="Usage by application"
        rows={byApplication(hours)}
        keyOf={({ name }) => name}
        empty="No applications."
        columns={[
          { title: "Application", kind: "main", cell: ({ name }) => <bdi>{name}</bdi> },
          { title: "On", kind: "number", cell: ({ yes }) => count(yes) },
          { title: "Off", kind: "number", cell: ({ no }) => count(no) },
        ]}
      />
    </>
  );
}

const byApplication = (hours: readonly Hour[]) =>
  [...Map.groupBy(hours, ({ appName }) => appName)]
    .map(([name, own]) => ({
      name,
      yes: own.reduce((sum, { yes }) => sum + yes, 0),
      no: own.reduce((sum, { no }) => sum + no, 0),
    }))
    .filter(({ yes, no }) => yes + no > 0);
