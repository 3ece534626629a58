import { useLocation, useSearch } from "wouter-preact";

/** The base path of the page, such as `/flags`; empty for the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

/** The parameters that open a dialog over a view. */
const DIALOGS = ["new", "edit", "remove", "revoke", "uses", "tokens", "delivery"];

/** The history state of an entry that a dialog has added. */
const OPENED = "opened";

/**
 * The filters of a view, kept in its query string so that back, reload and shared links preserve them. Filters at their
 * defaults are left out. What opens a dialog is an entry of its own in the history, so that Back closes it; closing it
 * otherwise takes the entry back.
 */
export function useFilters<T extends Record<string, string>>(
  defaults: T,
): [filters: T, setFilters: (changes: Partial<T>) => void] {
  const query = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const filters = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value]),
  ) as T;
  const setFilters = (changes: Partial<T>) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filters, ...changes }))
      if (value !== defaults[name]) search.set(name, value ?? "");
    const isOpening = DIALOGS.some((name) => changes[name]);
    const isClosing = !isOpening && history.state === OPENED && DIALOGS.some((name) => filters[name]);
    const to = search.size > 0 ? `${path}?${search}` : path;
    navigate(to, isOpening ? { state: OPENED } : { replace: true });
    if (isClosing) history.back(); // to the same address, as it was before the dialog
  };
  return [filters, setFilters];
}

/** Whether any filter differs from its default, even if its value in the address is invalid. */
export const isFiltered = (filters: Record<string, string>, defaults: Record<string, string>) =>
  Object.entries(defaults).some(([name, value]) => filters[name] !== value);

/** A path within the page, its parts escaped: `pathTo("projects", id)`. */
export const pathTo = (...parts: Array<string | number>) =>
  `/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
