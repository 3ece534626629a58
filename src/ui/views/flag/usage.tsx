import { useFilters } from "../../address.ts";
import { count } from "../../format.ts";
import { Chart } from "../../parts/chart.tsx";
import { Button } from "../../parts/controls.tsx";
import { choicesOf, Select } from "../../parts/fields.tsx";
import { Filter, Filters } from "../../parts/filters.tsx";
import { Table } from "../../parts/table.tsx";
import { Answer, Nothing } from "../../parts/words.tsx";
import { useRead } from "../../reads.ts";
import { type Hour, hourlyBars, hoursBefore, isUsed, SERIES, totalOf } from "../../use.ts";
import { inFlag } from "./frame.tsx";

/** The hours that can be shown; one more is asked for, which is not over, up to the most there are. */
const PERIODS = [6, 24, 47];

/** What is shown, as kept in the address; from and to are hours. */
const FILTERS = { environment: "", application: "", from: "", to: "" };

/** What there is a chart for each of. */
const GROUPS = { environment: "environment", application: "appName" } as const;

/** How often applications evaluated a flag to on and to off in the last hours. */
export const Usage = inFlag(({ flag }) => {
  const [{ hours, by, ...filters }, setFilters] = useFilters({ ...FILTERS, hours: "24", by: "environment" });
  const period = PERIODS.find((period) => period === Number(hours)) ?? 24;
  const read = useRead("GET /api/admin/client-metrics/features/:name/raw", {
    params: { name: flag.name },
    query: { hoursBack: period + 1 },
  });
  const used = read.data?.data.filter(isUsed) ?? [];
  const group = GROUPS[by as keyof typeof GROUPS] ?? GROUPS.environment;
  return (
    <>
      <Filters>
        <Select
          label="Period"
          value={hours}
          choices={PERIODS.map((period) => [String(period), `last ${period} hours`])}
          onChange={(hours) => setFilters({ hours, from: "", to: "" })}
        />
        <Select
          label="Charts"
          value={by}
          choices={Object.keys(GROUPS).map((name) => [name, `by ${name}`])}
          onChange={(by) => setFilters({ by })}
        />
        <Filter label="Environment" name="environment" choices={choicesOf(namesIn(used, "environment"))} />
        <Filter label="Application" name="application" choices={choicesOf(namesIn(used, "appName"))} />
        {filters.from && <Button onClick={() => setFilters({ from: "", to: "" })}>Whole period</Button>}
      </Filters>
      <Answer read={read} rows={8}>
        {({ data }) => (
          <Charts
            hours={data.filter((hour) => isShown(hour, filters))}
            times={hoursBefore(data, period).filter((time) => isWithin(time, filters))}
            by={group}
            onSelect={(from, to) => setFilters({ from, to })}
          />
        )}
      </Answer>
    </>
  );
});

const namesIn = (hours: readonly Hour[], property: "environment" | "appName") =>
  [...new Set(hours.map((hour) => hour[property]))].sort();

const isShown = ({ environment, appName, timestamp }: Hour, filters: typeof FILTERS) =>
  ["", environment].includes(filters.environment) &&
  ["", appName].includes(filters.application) &&
  isWithin(timestamp, filters);

const isWithin = (time: string, { from, to }: typeof FILTERS) => time >= from && (to === "" || time <= to);

interface ChartsProps {
  hours: readonly Hour[];
  /** Those of the charts. */
  times: readonly string[];
  by: "environment" | "appName";
  /** Called with the first and the last hour. */
  onSelect(from: string, to: string): void;
}

/** A chart for each environment or application that has used the flag, and all of it as a table. */
function Charts({ hours, times, by, onSelect }: ChartsProps) {
  const used = hours.filter(isUsed);
  if (used.length === 0) return <Nothing>No application has used this flag in these hours.</Nothing>;
  return (
    <>
      <div class="multiples">
        {namesIn(used, by).map((name) => (
          <section key={name} class="card">
            <Chart
              title={name}
              series={SERIES}
              bars={hourlyBars(
                hours.filter((hour) => hour[by] === name),
                times,
              )}
              onSelect={(first, last) => onSelect(times[first]!, times[last]!)}
            />
          </section>
        ))}
      </div>
      <p class="muted">The hour that isn't over is counted below, and in the charts once it is.</p>
      <Totals hours={used} />
    </>
  );
}

/** What each application has used in each environment. */
const Totals = ({ hours }: { hours: readonly Hour[] }) => (
  <Table
    caption="Usage by application and environment"
    rows={[
      ...Map.groupBy(hours, ({ appName, environment }) => JSON.stringify([appName, environment])).values(),
    ]}
    keyOf={([first]) => `${first!.appName} ${first!.environment}`}
    columns={[
      ["Application", ([first]) => <bdi>{first!.appName}</bdi>, "main"],
      ["Environment", ([first]) => <bdi>{first!.environment}</bdi>],
      ["On", (own) => count(totalOf(own).yes), "number"],
      ["Off", (own) => count(totalOf(own).no), "number"],
    ]}
  />
);
