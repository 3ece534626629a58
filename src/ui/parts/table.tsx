import type { ComponentChildren } from "preact";
import { useFilter, useFilters, useOffset } from "../address.ts";
import { count } from "../format.ts";
import { Checkbox, Select } from "./fields.tsx";
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

/** How the rows are sorted, as the address says; this is the default. */
interface Sorting {
  sortBy: string;
  sortOrder: "asc" | "desc";
}

interface TableProps<T> {
  /** Read out before the table. */
  caption: string;
  columns: ReadonlyArray<Column<NoInfer<T>> | false>;
  rows: readonly T[];
  keyOf(row: NoInfer<T>): string | number;
  /** Shown if there are no rows; nothing by default. */
  empty?: ComponentChildren;
  sorting?: Sorting;
  /** Shows the rows page by page. With a total, the server does, and the rows are those of the page. */
  page?: Omit<PagerProps, "total"> & { total?: number };
  /** The selected rows, for bulk actions. */
  selection?: { selected: ReadonlySet<string>; onSelect(selected: ReadonlySet<string>): void } | undefined;
}

export function Table<T>({ page, rows, empty, ...shown }: TableProps<T>) {
  const offset = useOffset();
  const isSliced = page && page.total === undefined;
  const visible = isSliced ? rows.slice(offset, offset + page.size) : rows;
  return (
    <>
      {visible.length > 0 ? <Rows {...shown} rows={visible} /> : empty && <Nothing>{empty}</Nothing>}
      {page && !(isSliced && rows.length <= page.size) && <Pager total={rows.length} {...page} />}
    </>
  );
}

interface SectionProps<T> extends Omit<TableProps<T>, "caption"> {
  title: string;
  /** The title by default. */
  caption?: string;
  isCard?: boolean;
  /** It is no higher than a few rows, and scrolls. */
  isShort?: boolean;
  /** Shown above the table, and below. */
  above?: ComponentChildren;
  children?: ComponentChildren;
}

/** A table in a section of its own; without rows, and words for that, there is none. */
export function TableSection<T>(props: SectionProps<T>) {
  const { title, caption = title, isCard, isShort, above, children, ...table } = props;
  if (table.rows.length === 0 && table.empty === undefined) return null;
  const shown = <Table<T> {...table} caption={caption} />;
  return (
    <section class={isCard ? "card" : undefined}>
      <h2>{title}</h2>
      {above}
      {isShort ? <div class="short">{shown}</div> : shown}
      {children}
    </section>
  );
}

type RowsProps<T> = Omit<TableProps<T>, "page" | "empty">;

function Rows<T>({ caption, columns, rows, keyOf, sorting, selection }: RowsProps<T>) {
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
  const [{ sortBy: by, sortOrder }, setFilters] = useFilters({ sortBy: "", sortOrder: "", ...sorting });
  if (!sorting || sortBy === undefined)
    return (
      <th scope="col" class={kind}>
        {kind === "tools" ? <span class="unseen">{title}</span> : title}
      </th>
    );
  const isSorted = by === sortBy;
  const isUp = sortOrder !== "desc";
  return (
    <th scope="col" class={kind} aria-sort={isSorted ? (isUp ? "ascending" : "descending") : "none"}>
      <button
        type="button"
        class="sort"
        onClick={() => setFilters({ sortBy, sortOrder: isSorted && isUp ? "desc" : "asc" })}
      >
        {title}
        {isSorted && <Icon name={isUp ? "up" : "down"} />}
      </button>
    </th>
  );
}

interface PagerProps {
  /** Rows to a page. */
  size: number;
  /** Infinity while it isn't known: there may be more. */
  total: number;
  /** There are more than were counted, and the total is only more than those shown so far. */
  isMore?: boolean;
  /** Takes another number of rows to a page; omitted if it is fixed. */
  onResize?(size: number): void;
}

const SIZES = [25, 50, 100].map((size) => [size, `${size} rows`] as const);

/** The range of a long list that is shown, as the address says, with buttons for the previous and the next page. */
export function Pager({ size, total, isMore, onResize }: PagerProps) {
  const offset = useOffset();
  const [, setOffset] = useFilter("offset");
  if (total === 0) return null;
  const move = (offset: number) => setOffset(offset === 0 ? "" : String(offset));
  const end = Math.min(offset + size, total);
  const resize = (size: number) => {
    onResize?.(size);
    move(0);
  };
  return (
    <nav class="pager" aria-label="Pages">
      {onResize && <Select label="Rows to a page" value={size} choices={SIZES} onChange={resize} />}
      <span>
        {count(offset + 1)}–{count(end)}
        {Number.isFinite(total) && ` of ${isMore ? `${count(total - 1)}+` : count(total)}`}
      </span>
      <button
        type="button"
        disabled={offset === 0}
        onClick={() => move(Math.max(0, Math.min(offset, total) - size))}
      >
        Previous
      </button>
      <button type="button" disabled={end >= total} onClick={() => move(offset + size)}>
        Next
      </button>
    </nav>
  );
}
