import type { ComponentChildren } from "preact";
import { count } from "../format.ts";
import { Nothing } from "./answer.tsx";
import { Icon } from "./icon.tsx";

/** A column: its heading and its cells. */
export interface Column<T> {
  title: string;
  cell(row: T): ComponentChildren;
  /** The server's sort key for this column, if it has one. */
  sortBy?: string;
  kind?: "number" | "tools" | "main" | undefined;
}

export interface Sorting {
  by: string;
  order: "asc" | "desc";
  onSort(by: string, order: "asc" | "desc"): void;
}

/** The selected rows, for bulk actions. */
export interface Selection {
  selected: ReadonlySet<string>;
  onSelect(selected: ReadonlySet<string>): void;
}

interface TableProps<T> {
  /** Read out before the table. */
  caption: string;
  columns: ReadonlyArray<Column<T> | false | undefined>;
  rows: readonly T[];
  keyOf(row: T): string | number;
  /** Shown if there are no rows. */
  empty: ComponentChildren;
  sorting?: Sorting;
  selection?: Selection;
}

export function Table<T>({ caption, columns, rows, keyOf, empty, sorting, selection }: TableProps<T>) {
  if (rows.length === 0) return <Nothing>{empty}</Nothing>;
  const visible = columns.filter((column) => column !== false && column !== undefined);
  const keys = rows.map((row) => String(keyOf(row)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll cards" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && <SelectAll keys={keys} {...selection} />}
            {visible.map((column) => (
              <Head key={column.title} column={column} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keys[index]}>
              {selection && <SelectRow name={keys[index]!} {...selection} />}
              {visible.map((column) => (
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

const SelectAll = ({ keys, selected, onSelect }: Selection & { keys: readonly string[] }) => (
  <th scope="col" class="choose">
    <input
      type="checkbox"
      aria-label="Select all on this page"
      checked={keys.every((key) => selected.has(key))}
      onChange={(event) => onSelect(new Set(event.currentTarget.checked ? keys : []))}
    />
  </th>
);

function SelectRow({ name, selected, onSelect }: Selection & { name: string }) {
  const toggle = (isSelected: boolean) => {
    const others = [...selected].filter((other) => other !== name);
    onSelect(new Set(isSelected ? [...others, name] : others));
  };
  return (
    <td class="choose">
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={selected.has(name)}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
    </td>
  );
}

interface PagerProps {
  offset: number;
  limit: number;
  /** Infinity while it isn't known: there may be more. */
  total: number;
  onMove(offset: number): void;
}

/** The range of a long list that is shown, with buttons for the previous and the next page. */
export function Pager({ offset, limit, total, onMove }: PagerProps) {
  if (total === 0) return null;
  const end = Math.min(offset + limit, total);
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {count(offset + 1)}–{count(end)}
        {Number.isFinite(total) && ` of ${count(total)}`}
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
