import { useLocation, useSearch } from "wouter-preact";
import { CLOSED, OPENED } from "./navigation.ts";

/** The base path of the page, such as `/flags`; empty for the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

/**
 * The filters of a view, kept in its query string so that back, reload and shared links preserve them. Filters at their
 * defaults are left out.
 */
export function useFilters<T extends Record<string, string>>(
  defaults: T,
): [filters: T, setFilters: (changes: Partial<T>) => void] {
  const query = useQuery();
  const [, navigate] = useLocation();
  const filters = Object.fromEntries(
    Object.entries(defaults).map(([name, value]) => [name, query.get(name) ?? value]),
  ) as T;
  const setFilters = (changes: Partial<T>) => {
    const parameters = Object.entries(changes).map(
      ([name, value]) => [name, value === defaults[name] ? undefined : value] as const,
    );
    navigate(addressWith(Object.fromEntries(parameters)), { replace: true, state: history.state });
  };
  return [filters, setFilters];
}

/** A dialog over a view. */
export interface DialogState {
  /** What it is about, such as the ID of what is edited; undefined while it is closed. */
  of: string | undefined;
  open(of?: string): void;
  close(): void;
}

/**
 * A dialog that is open while the address has a parameter, such as `?edit=17`. Opening it adds an entry to the history,
 * so that Back closes it; closing it otherwise takes the entry back.
 */
export function useDialog(parameter: string): DialogState {
  const of = useQuery().get(parameter) || undefined;
  const [, navigate] = useLocation();
  const close = () => {
    if (!new URLSearchParams(location.search).has(parameter)) return; // the view has been left already
    const state = history.state === OPENED ? CLOSED : null;
    navigate(addressWith({ [parameter]: undefined }), { replace: true, state });
    if (history.state === CLOSED) history.back(); // to the same address, as it was before the dialog
  };
  return {
    of,
    open: (of = "true") => navigate(addressWith({ [parameter]: of }), { state: OPENED }),
    close,
  };
}

/** Read from the address itself, since the router decodes it once too often. */
function useQuery(): URLSearchParams {
  useSearch(); // renders again when it changes
  return new URLSearchParams(location.search);
}

/** The current address with other parameters; those that are undefined are left out. `~` says that it has the base. */
function addressWith(changes: Record<string, string | undefined>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined) query.delete(name);
    else query.set(name, value);
  return `~${location.pathname}${query.size > 0 ? `?${query}` : ""}`;
}

/** Whether any filter differs from its default, even if its value in the address is invalid. */
export const isFiltered = (filters: Record<string, string>, defaults: Record<string, string>) =>
  Object.entries(defaults).some(([name, value]) => filters[name] !== value);

/** A path within the page, its parts escaped: `pathTo("projects", id)`. */
export const pathTo = (...parts: Array<string | number>) =>
  `/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
