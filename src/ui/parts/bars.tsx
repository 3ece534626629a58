/** A rollout percentage as a bar. */
export const RolloutBar = ({ percent }: { percent: number }) => (
  <div class="bar" aria-hidden="true">
    <span style={{ width: `${percent}%` }} />
  </div>
);

interface Weighted {
  name: string;
  /** In thousandths. */
  weight: number;
}

/** The weights of variants, as segments of one bar and in words. */
export const WeightsBar = ({ variants }: { variants: readonly Weighted[] }) => (
  <div class="weights">
    <div class="bar" aria-hidden="true">
      {variants.map(({ name, weight }) => (
        <span key={name} style={{ width: `${weight / 10}%` }} />
      ))}
    </div>
    <small>
      {variants.map(({ name, weight }, index) => (
        <span key={name}>
          {index > 0 && ", "}
          <bdi>{name}</bdi> {weight / 10}%
        </span>
      ))}
    </small>
  </div>
);
