import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

export interface Line {
  title: string;
  values: readonly number[];
  /** Tells the line apart by more than its colour. */
  isDashed?: boolean;
}

interface ChartProps {
  title: string;
  /** In seconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
}

/** A line chart over time; the view shows the same numbers in a table. */
export function Chart({ title, times, lines }: ChartProps) {
  const element = useRef<HTMLDivElement>(null);
  const data = JSON.stringify([times, lines]);
  useEffect(() => {
    const target = element.current!;
    const plot = new UPlot(
      optionsFor(title, lines, target.clientWidth),
      [[...times], ...lines.map(({ values }) => [...values])],
      target,
    );
    const resize = new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height: HEIGHT }));
    resize.observe(target);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
  }, [title, data]);
  return <div class="chart" ref={element} role="img" aria-label={title} />;
}

const HEIGHT = 220;

function optionsFor(title: string, lines: readonly Line[], width: number): UPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => resolved(style.getPropertyValue(name));
  const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 } };
  const strokes = [colour("--accent"), colour("--faint")];
  return {
    title,
    width,
    height: HEIGHT,
    axes: [axis, axis],
    scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
    series: [
      {},
      ...lines.map(({ title: label, isDashed }, index) => ({
        label,
        stroke: strokes[index % strokes.length]!,
        width: 2,
        ...(isDashed && { dash: [6, 4] }),
      })),
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
