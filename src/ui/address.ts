import { useLocation, useSearch } from "wouter-preact";

/** The path that the page is below, such as `/flags`; empty for none. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

/**
 * What a view is filtered by, kept in its address so that back, reload and a link keep it. What is as it is by default
 * is left out of the address.
 */
export function useFilters<T extends Record<string, string>>(
  preset: T,
): [filters: T, setFilters: (changed: Partial<T>) => void] {
  const given = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const filters = Object.fromEntries(
    Object.entries(preset).map(([name, value]) => [name, given.get(name) ?? value]),
  ) as T;
  const setFilters = (changed: Partial<T>) => {
    const search = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...filters, ...changed }))
      if (value !== preset[name]) search.set(name, value ?? "");
    navigate(search.size > 0 ? `${path}?${search}` : path, { replace: true });
  };
  return [filters, setFilters];
}

/** Whether some of the filters are not as they are by default, be it that nobody can read what is in the address. */
export const isFiltered = (filters: Record<string, string>, preset: Record<string, string>) =>
  Object.entries(preset).some(([name, value]) => filters[name] !== value);

/** A path of the page, its parts escaped: `pathTo("projects", id)`. */
export const pathTo = (...parts: Array<string | number>) =>
  `/${parts.map((part) => encodeURIComponent(part)).join("/")}`;
