import { signal } from "@preact/signals";
import { Tick } from "./fields.tsx";

/** How the user wants long tables; kept in this browser. */
interface TableChoices {
  /** The titles of the columns that are left out. */
  hidden: readonly string[];
  /** Rows to a page. */
  size: number;
}

const KEY = "flagstone-tables";

const DEFAULTS: TableChoices = { hidden: ["Created by"], size: 50 };

const choices = signal<TableChoices>({ ...DEFAULTS, ...JSON.parse(localStorage.getItem(KEY) ?? "{}") });

export const tableChoices = () => choices.value;

export function choose(changed: Partial<TableChoices>) {
  choices.value = { ...choices.value, ...changed };
  localStorage.setItem(KEY, JSON.stringify(choices.value));
}

/** The columns that are not left out. */
export const chosen = <C extends readonly [title: string, ...rest: unknown[]]>(columns: readonly C[]): C[] =>
  columns.filter(([title]) => !choices.value.hidden.includes(title));

/** Shows columns of a table, and leaves them out. */
export function ColumnChoice({ titles }: { titles: readonly string[] }) {
  const { hidden } = choices.value;
  return (
    <details class="columns-choice">
      <summary>Columns</summary>
      <fieldset>
        <legend class="unseen">Columns to show</legend>
        {titles.map((title) => (
          <Tick
            key={title}
            checked={!hidden.includes(title)}
            onChange={(isShown) =>
              choose({ hidden: isShown ? hidden.filter((other) => other !== title) : [...hidden, title] })
            }
          >
            <bdi>{title}</bdi>
          </Tick>
        ))}
      </fieldset>
    </details>
  );
}
