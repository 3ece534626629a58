import { useEffect, useRef } from "preact/hooks";
import UPlot from "uplot";

export interface Line {
  title: string;
  values: readonly number[];
  /** Told apart by more than its colour. */
  isDashed?: boolean;
}

interface ChartProps {
  title: string;
  /** In seconds since 1970. */
  times: readonly number[];
  lines: readonly Line[];
}

/** Numbers over time; the same numbers stand in a table beside it. */
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
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
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

/** A canvas knows nothing of `light-dark()`: what it comes to is read off an element. */
function resolved(value: string) {
  const probe = document.createElement("span");
  probe.style.color = value;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
