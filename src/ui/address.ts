import { signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type AroundNavHandler, useLocation, useSearch } from "wouter-preact";
import { leave, unsavedOutside } from "./unsaved.ts";

/** The base path of the page, such as `/flags`; empty for the root. */
export const BASE = new URL(document.baseURI).pathname.replace(/\/$/, "");

/** Other filters lead back to the first page of a list, where nothing is opened. */
const START = { offset: undefined, open: undefined };

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
    navigate(addressWith({ ...START, ...Object.fromEntries(parameters) }), {
      replace: true,
      state: history.state,
    });
  };
  return [filters, setFilters];
}

/** One of them, which is empty by default, and what changes it. */
export function useFilter(name: string): [value: string, set: (value: string) => void] {
  const [filters, setFilters] = useFilters({ [name]: "" });
  return [filters[name]!, (value) => setFilters({ [name]: value })];
}

/** How many rows of a list come before those that are shown. */
export const useOffset = () => Number(useFilter("offset")[0]) || 0;

/** A dialog over a view. */
interface DialogState {
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
export function addressWith(changes: Record<string, string | undefined>): string {
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

export const flagPath = (project: string, name: string, ...more: string[]) =>
  pathTo("projects", project, "features", name, ...more);

/** The name at the end of the path, read from the address itself: the router decodes only some characters. */
export function useNameInPath(): string {
  useLocation(); // renders again when it changes
  const last = location.pathname.slice(location.pathname.lastIndexOf("/") + 1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

interface Connectable {
  project: string;
  name: string;
  environments: ReadonlyArray<{ name: string; enabled: boolean }>;
}

/** Where to connect an application to a flag; suggests an environment where it is on, so that it is seen to work. */
export function connectPath({ project, name, environments }: Connectable) {
  const environment = environments.find(({ enabled }) => enabled)?.name ?? "";
  return `/connect?${new URLSearchParams({ project, feature: name, ...(environment && { environment }) })}`;
}

/** The history state of an entry that a dialog has added. */
const OPENED = "opened";

/** The history state of such an entry once the dialog is closed; Forward leads no further than before it. */
export const CLOSED = "closed";

/** Where the page is; for a moment, Back and Forward have already left it. */
let here = location.href;

/** The time that the address asks for, or the id of an event; empty for now. */
export const asOf = signal(asOfHere());

function asOfHere() {
  return new URLSearchParams(location.search).get("at") ?? "";
}

function arrive() {
  here = location.href;
  asOf.value = asOfHere();
}

/** An address that shows the same time, unless it says otherwise; `?at=` leads back to now. */
function atSameTime(to: string): string {
  const [path = "", search] = to.split("?");
  const query = new URLSearchParams(search);
  if (!query.has("at")) query.set("at", asOf.value);
  if (query.get("at") === "") query.delete("at");
  return query.size > 0 ? `${path}?${query}` : path;
}

/**
 * What every link and every other navigation within the page goes through: it asks before it loses what is typed. The
 * form that is being saved may replace its own address.
 */
export const navigateUnlessTyped: AroundNavHandler = (navigate, link, options) => {
  const to = atSameTime(link);
  const forms = unsavedOutside(new URL(to, here));
  const isDone = (form: (typeof forms)[number]) => options?.replace && form.isSending;
  leave(
    forms.filter((form) => !isDone(form)),
    () => {
      navigate(to, options);
      arrive();
    },
  );
};

// Before the router does, which would show where Back or Forward lead.
addEventListener("popstate", (event) => {
  if (isLed()) arrive();
  else event.stopImmediatePropagation();
});

/** Whether Back or Forward lead to where the browser is now. They can't be prevented, only followed by a way back. */
function isLed(): boolean {
  if (history.state === CLOSED) {
    history.back();
    return false;
  }
  const there = new URL(location.href);
  const forms = unsavedOutside(there);
  if (forms.length === 0) return true;
  history.pushState(isStepFrom(there, new URL(here)) ? OPENED : null, "", here);
  leave(forms, () => history.back());
  return false;
}

/** Whether an address is that of another with a dialog open above, so that going back closes the dialog. */
function isStepFrom(below: URL, { pathname, searchParams }: URL): boolean {
  const added = [...searchParams].filter(([name, value]) => below.searchParams.get(name) !== value);
  return (
    pathname === below.pathname && added.length === 1 && searchParams.size === below.searchParams.size + 1
  );
}

/** The path of the view that was opened last; browsers themselves read out a page that they load. */
let opened = location.pathname;

/**
 * Focuses the heading of a view that opens in place of another, since what had the focus is gone or belongs to the menu:
 * screen readers then say where one is, and Tab goes on from there. Focus that is in the view already stays.
 * @returns the ref of the heading
 */
export function useArrival(): RefObject<HTMLHeadingElement> {
  const heading = useRef<HTMLHeadingElement>(null);
  const [path] = useLocation();
  useLayoutEffect(() => {
    if (location.pathname === opened) return;
    opened = location.pathname;
    if (!document.querySelector("main :focus, dialog[open]")) heading.current?.focus();
  }, [path]);
  return heading;
}
