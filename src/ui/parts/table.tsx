import type { ComponentChildren } from "preact";
import { count } from "../format.ts";
import { Nothing } from "./answer.tsx";
import { Icon } from "./icon.tsx";

/** A column: what stands at its head and in its cells. */
export interface Column<T> {
  title: string;
  cell(row: T): ComponentChildren;
  /** What the server sorts by for it, if it can. */
  sortBy?: string;
  kind?: "number" | "tools" | "main" | undefined;
}

export interface Sorting {
  by: string;
  order: "asc" | "desc";
  onSort(by: string, order: "asc" | "desc"): void;
}

/** Rows that can be chosen, for what is done to many at once. */
export interface Choosing {
  chosen: ReadonlySet<string>;
  onChoose(chosen: ReadonlySet<string>): void;
}

interface TableProps<T> {
  /** Read out before the table. */
  caption: string;
  columns: ReadonlyArray<Column<T> | false | undefined>;
  rows: readonly T[];
  keyOf(row: T): string | number;
  /** What is said where there are none. */
  empty: ComponentChildren;
  sorting?: Sorting;
  choosing?: Choosing;
}

export function Table<T>({ caption, columns, rows, keyOf, empty, sorting, choosing }: TableProps<T>) {
  if (rows.length === 0) return <Nothing>{empty}</Nothing>;
  const shown = columns.filter((column) => column !== false && column !== undefined);
  const keys = rows.map((row) => String(keyOf(row)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
    <section class="scroll cards" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {choosing && <ChooseAll keys={keys} {...choosing} />}
            {shown.map((column) => (
              <Head key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keys[index]}>
              {choosing && <ChooseOne name={keys[index]!} {...choosing} />}
              {shown.map((column) => (
                <td key={column.title} class={column.kind} data-title={column.title}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Head<T>({ column, sorting }: { column: Column<T>; sorting: Sorting | undefined }) {
  const { title, sortBy, kind } = column;
  if (!sorting || sortBy === undefined)
    return (
      <th scope="col" class={kind}>
        {kind === "tools" ? <span class="unseen">{title}</span> : title}
      </th>
    );
  const isSorted = sorting.by === sortBy;
  const isUp = sorting.order === "asc";
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? (isUp ? "ascending" : "descending") : "none"}>
      <button
        type="button"
        class="sort"
        onClick={() => sorting.onSort(sortBy, isSorted && isUp ? "desc" : "asc")}
      >
        {title}
        {isSorted && <Icon name={isUp ? "up" : "down"} />}
      </button>
    </th>
  );
}

const ChooseAll = ({ keys, chosen, onChoose }: Choosing & { keys: readonly string[] }) => (
  <th scope="col" class="choose">
    <input
      type="checkbox"
      aria-label="Select all on this page"
      checked={keys.every((key) => chosen.has(key))}
      onChange={(event) => onChoose(new Set(event.currentTarget.checked ? keys : []))}
    />
  </th>
);

function ChooseOne({ name, chosen, onChoose }: Choosing & { name: string }) {
  const toggle = (isChosen: boolean) => {
    const others = [...chosen].filter((one) => one !== name);
    onChoose(new Set(isChosen ? [...others, name] : others));
  };
  return (
    <td class="choose">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={chosen.has(name)}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
    </td>
  );
}

interface PagerProps {
  offset: number;
  limit: number;
  total: number;
  onMove(offset: number): void;
}

/** Which part of a long list is shown, and the ways to the next and the last one. */
export function Pager({ offset, limit, total, onMove }: PagerProps) {
  if (total === 0) return null;
  const end = Math.min(offset + limit, total);
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {count(offset + 1)}–{count(end)} of {count(total)}
      </span>
      <button
        type="button"
        disabled={offset === 0}
        onClick={() => onMove(Math.max(0, Math.min(offset, total) - limit))}
      >
        Previous
      </button>
      <button type="button" disabled={end >= total} onClick={() => onMove(offset + limit)}>
        Next
      </button>
    </nav>
  );
}
