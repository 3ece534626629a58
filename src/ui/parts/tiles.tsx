import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";

/** A figure: what it counts, its value, and the path of what it counts, if there is a view of it. */
export type Tile = readonly [label: string, value: ComponentChildren, to?: string];

/** Figures side by side. */
export const Tiles = ({ tiles }: { tiles: readonly Tile[] }) => (
  <dl class="numbers">
    {tiles.map(([label, value, to]) => (
      <div key={label}>
        <dt>{label}</dt>
        <dd>{to === undefined ? value : <Link href={to}>{value}</Link>}</dd>
      </div>
    ))}
  </dl>
);
