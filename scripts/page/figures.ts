/** A measured figure, and the maximum that is its target. */
export interface Figure {
  name: string;
  value: number;
  most: number;
  unit: string;
}

export const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** A line per figure; missed targets are marked. */
export const toText = (figures: readonly Figure[]) =>
  figures
    .map(({ name, value, most, unit }) => {
      const [shown, target] = [value.toFixed(value < 100 ? 1 : 0), `at most ${most} ${unit}`];
      return `${name.padEnd(52)} ${`${shown} ${unit}`.padStart(12)}   ${target}${value > most ? "   MISSED" : ""}\n`;
    })
    .join("");
