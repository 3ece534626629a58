import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../format.ts";
import { Checkbox, type Choice, Select } from "./fields.tsx";
import { Icon, Nothing } from "./words.tsx";

/** A column: its heading, its cells, what they hold if it isn't plain text, and the server's sort key if it has one. */
export type Column<T> = readonly [
  title: string,
  cell: Cells<T>["of"],
  kind?: "number" | "tools" | "main" | "",
  sortBy?: string,
];

/** A method, so that the type of the rows is inferred from the rows alone. */
interface Cells<T> {
  of(row: T): ComponentChildren;
}

interface Sorting {
  by: string;
  order: "asc" | "desc";
  onSort(by: string, order: "asc" | "desc"): void;
}

/** The selected rows, for bulk actions. */
interface TableProps<T> {
  /** Read out before the table. */
  caption: string;
  columns: ReadonlyArray<Column<NoInfer<T>> | false>;
  rows: readonly T[];
  keyOf(row: NoInfer<T>): string | number;
  /** Shown if there are no rows. */
  empty: ComponentChildren;
  sorting?: Sorting;
  selection?: { selected: ReadonlySet<string>; onSelect(selected: ReadonlySet<string>): void } | undefined;
}

export function Table<T>({ caption, columns, rows, keyOf, empty, sorting, selection }: TableProps<T>) {
  if (rows.length === 0) return <Nothing>{empty}</Nothing>;
  const visible = columns.filter((column) => column !== false);
  const keys = rows.map((row) => String(keyOf(row)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scroll cards" tabIndex={0} aria-label={caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" class="choose">
                <Checkbox
                  aria-label="Select all on this page"
                  checked={keys.every((key) => selection.selected.has(key))}
                  onChange={(isSelected) => {
                    const { selected, onSelect } = selection;
                    const page = new Set(keys);
                    onSelect(isSelected ? selected.union(page) : selected.difference(page));
                  }}
                />
              </th>
            )}
            {visible.map(([title, , kind, sortBy]) => (
              <Head key={title} title={title} kind={kind || undefined} sortBy={sortBy} sorting={sorting} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keys[index]}>
              {selection && (
                <td class="choose">
                  <Checkbox
                    aria-label={`Select ${keys[index]}`}
                    checked={selection.selected.has(keys[index]!)}
                    onChange={() =>
                      selection.onSelect(selection.selected.symmetricDifference(new Set([keys[index]!])))
                    }
                  />
                </td>
              )}
              {visible.map(([title, cell, kind]) => (
                <td key={title} class={kind || undefined} data-title={title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface HeadProps {
  title: string;
  kind: string | undefined;
  sortBy: string | undefined;
  sorting: Sorting | undefined;
}

function Head({ title, kind, sortBy, sorting }: HeadProps) {
  if (!sorting || sortBy === undefined)
    return (
      <th scope="col" class={kind}>
        {kind === "tools" ? <span class="unseen">{title}</span> : title}
      </th>
    );
  const isSorted = sorting.by === sortBy;
  const isUp = sorting.order === "asc";
  const sort = () => sorting.onSort(sortBy, isSorted && isUp ? "desc" : "asc");
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? (isUp ? "ascending" : "descending") : "none"}>
      <button type="button" class="sort" onClick={sort}>
        {title}
        {isSorted && <Icon name={isUp ? "up" : "down"} />}
      </button>
    </th>
  );
}

interface PagerProps {
  offset: number;
  limit: number;
  /** Infinity while it isn't known: there may be more. */
  total: number;
  /** There are more than were counted, and the total is only more than those shown so far. */
  isMore?: boolean;
  onMove(offset: number): void;
  /** Takes another number of rows to a page; omitted if it is fixed. */
  onResize?(limit: number): void;
}

const SIZES = [25, 50, 100].map((size) => [size, `${size} rows`] as const);

/** The range of a long list that is shown, with buttons for the previous and the next page. */
export function Pager({ offset, limit, total, isMore, onMove, onResize }: PagerProps) {
  if (total === 0) return null;
  const end = Math.min(offset + limit, total);
  const previous = () => onMove(Math.max(0, Math.min(offset, total) - limit));
  return (
    <nav class="pager" aria-label="Pages">
      {onResize && <Select label="Rows to a page" value={limit} choices={SIZES} onChange={onResize} />}
      <span>
        {count(offset + 1)}–{count(end)}
        {Number.isFinite(total) && ` of ${isMore ? `${count(total - 1)}+` : count(total)}`}
      </span>
      <button type="button" disabled={offset === 0} onClick={previous}>
        Previous
      </button>
      <button type="button" disabled={end >= total} onClick={() => onMove(offset + limit)}>
        Next
      </button>
    </nav>
  );
}

export interface FilterProps {
  label: string;
  value: string;
  onChange(value: string): void;
}

/** How long typing must pause before a search, so that not every letter is a request. */
const PAUSE_MS = 150;

/** A search field that reports its text once typing pauses. `/` focuses it. */
export function Search({ label, value, onChange }: FilterProps) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  useEffect(() => {
    if (value !== reported.current) setText(value); // changed elsewhere, such as by the back button
    reported.current = value;
  }, [value]);
  useEffect(() => {
    if (text === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text;
      onChange(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <input
      type="search"
      aria-label={label}
      placeholder={`${label}  ( / )`}
      value={text}
      spellcheck={false}
      onInput={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** A filter of a list: one of several choices, or any. */
export const Filter = ({ choices, ...select }: FilterProps & { choices: readonly Choice[] }) => (
  <Select {...select} choices={[["", `${select.label}: any`], ...choices]} />
);
