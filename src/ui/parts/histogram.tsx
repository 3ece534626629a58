import type { Input, Output } from "../api.ts";
import { count, daysOf } from "../format.ts";
import { useRead } from "../reads.ts";
import { Chart } from "./chart.tsx";

const HISTOGRAM = "GET /api/admin/search/events/histogram";

interface HistogramProps {
  title: string;
  query: NonNullable<Input<typeof HISTOGRAM>["query"]>;
  /** Called with the days that are clicked or dragged over. */
  onSelect(days: { from: string; to: string }): void;
}

/** How many events match over time. */
export function Histogram({ title, query, onSelect }: HistogramProps) {
  const { data } = useRead(HISTOGRAM, { query });
  const periods = data?.periods ?? [];
  return (
    <section class="card">
      <Chart
        title={data && isPart(data) ? `${title}, the newest ${count(COUNTED)}` : title}
        series={["events"]}
        bars={periods.map(({ count, ...days }) => ({ ...daysOf(days), values: [count] }))}
        onSelect={(first, last) => onSelect({ from: periods[first]!.from, to: periods[last]!.to })}
      />
    </section>
  );
}

/** How many of the events that contain a text are counted. */
export const COUNTED = 1000;

const isPart = ({ totalEvents }: Output<typeof HISTOGRAM>) => totalEvents === undefined;
