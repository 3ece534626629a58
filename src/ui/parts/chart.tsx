import { useState } from "preact/hooks";
import { count } from "../format.ts";
import { Table } from "./table.tsx";

/** What was counted in an interval: a number for each series, from the bottom of the bar to its top. */
export interface Bar {
  /** When it was, as far as it fits below the chart. */
  tick: string;
  /** The same in full. */
  when: string;
  values: readonly number[];
}

interface BarsProps {
  /** What is counted. */
  title: string;
  /** The names of the series. */
  series: readonly string[];
  /** Oldest first; none while they load, which takes up the same room. */
  bars: readonly Bar[];
}

interface ChartProps extends BarsProps {
  /** Called with the first and the last bar that the reader drags over, or with the one that is clicked. */
  onSelect?: ((first: number, last: number) => void) | undefined;
}

/** Counts over time as bars; the numbers of the bar under the pointer are above, all of them in a table below. */
export function Chart({ onSelect, ...shown }: ChartProps) {
  const { title, series, bars } = shown;
  const [at, setAt] = useState<number>();
  const [start, setStart] = useState<number>();
  const pointed = at === undefined ? undefined : bars[at];
  const move = (event: PointerEvent) => setAt(indexAt(event, bars.length));
  const select = () => {
    if (start !== undefined && pointed) onSelect?.(Math.min(start, at!), Math.max(start, at!));
    setStart(undefined);
  };
  return (
    <figure class="chart">
      <figcaption>
        <strong>
          <bdi>{title}</bdi>
        </strong>
        <small>{pointed ? `${pointed.when}: ${inWords(series, pointed.values)}` : totals(shown)}</small>
        {series.length > 1 && <Legend series={series} />}
      </figcaption>
      <div class="plot">
        <Scale top={topOf(bars)} />
        <div
          class={onSelect ? "bars selectable" : "bars"}
          role="img"
          aria-label={`${title}: ${totals(shown)}`}
          onPointerMove={move}
          onPointerLeave={() => start === undefined && setAt(undefined)}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            move(event);
            setStart(indexAt(event, bars.length));
          }}
          onPointerUp={select}
          onPointerCancel={() => setStart(undefined)}
        >
          <Columns bars={bars} chosen={[start ?? at, at]} />
        </div>
        <div class="ticks" aria-hidden="true">
          {ticksOf(bars).map(({ tick, when }) => (
            <span key={when}>{tick}</span>
          ))}
        </div>
      </div>
      <AsTable {...shown} />
    </figure>
  );
}

/** The same in a line of text, without numbers; these belong beside it. */
export const Sparkline = ({ title, series, bars }: BarsProps) => (
  <span class="bars sparkline" role="img" aria-label={`${title}: ${totals({ series, bars })}`}>
    <Columns bars={bars} />
  </span>
);

interface ColumnsProps {
  bars: readonly Bar[];
  /** The ends of the range of bars that stand out. */
  chosen?: readonly (number | undefined)[];
}

function Columns({ bars, chosen: [one = Number.NaN, other = Number.NaN] = [] }: ColumnsProps) {
  const top = topOf(bars);
  const isChosen = (index: number) => index >= Math.min(one, other) && index <= Math.max(one, other);
  return bars.map(({ values, when }, index) => (
    <span key={when} class={isChosen(index) ? "chosen" : undefined}>
      {values.map((value, series) => (
        <i key={series} class={`series-${series}`} style={{ height: `${(value / top) * 100}%` }} />
      ))}
    </span>
  ));
}

const Legend = ({ series }: Pick<BarsProps, "series">) => (
  <small class="legend" aria-hidden="true">
    {series.map((name, index) => (
      <span key={name}>
        <i class={`series-${index}`} /> {name}
      </span>
    ))}
  </small>
);

const Scale = ({ top }: { top: number }) => (
  <div class="scale" aria-hidden="true">
    {[top, top / 2, 0].map((value) => (
      <span key={value}>{Number.isInteger(value) && count(value)}</span>
    ))}
  </div>
);

/** Rendered once it is opened. */
function AsTable({ title, series, bars }: BarsProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        <div class="short">
          <Table
            caption={title}
            rows={bars}
            keyOf={({ when }) => when}
            empty="No data."
            columns={[
              ["Time", ({ when }) => when, "main"],
              ...series.map(
                (name, index) => [name, (bar: Bar) => count(bar.values[index]!), "number"] as const,
              ),
            ]}
          />
        </div>
      )}
    </details>
  );
}

/** The bar at the pointer; the nearest one if it is outside. Bars run from left to right in every language. */
function indexAt({ clientX, currentTarget }: PointerEvent, length: number): number {
  const { left, width } = (currentTarget as HTMLElement).getBoundingClientRect();
  return Math.max(0, Math.min(length - 1, Math.floor(((clientX - left) / width) * length)));
}

/** How many bars have their time below them. */
const TICKS = 5;

const ticksOf = (bars: readonly Bar[]) =>
  bars.length <= TICKS
    ? bars
    : Array.from({ length: TICKS }, (_, tick) => bars[Math.round((tick * (bars.length - 1)) / (TICKS - 1))]!);

const inWords = (series: readonly string[], values: readonly number[]) =>
  series.map((name, index) => `${count(values[index]!)} ${name}`).join(", ");

const totals = ({ series, bars }: Pick<BarsProps, "series" | "bars">) =>
  inWords(
    series,
    series.map((_, index) => bars.reduce((sum, { values }) => sum + values[index]!, 0)),
  );

const topOf = (bars: readonly Bar[]) =>
  roundedUp(Math.max(1, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0))));

/** The next number above that is easy to read: 1, 1.5, 2, 3, 4, 6, 8, 10, 15, … */
export function roundedUp(number: number): number {
  const unit = 10 ** Math.floor(Math.log10(number));
  return [1, 1.5, 2, 3, 4, 6, 8, 10].find((step) => step * unit >= number)! * unit;
}
