import type { State } from "./state.ts";
import type { Flag, Segment } from "./store.ts";

/** Which flags an application receives: those that it requests and has access to. */
export interface FlagSelection {
  /** Undefined for all. */
  projects: readonly string[] | undefined;
  environment: string;
  /** Names must begin with it; case-sensitive. */
  namePrefix?: string | undefined;
  /** The flags that have a requested tag. */
  names?: ReadonlySet<string> | undefined;
}

export const isSelected = (
  { name, project }: Pick<Flag, "name" | "project">,
  { projects, namePrefix = "", names }: FlagSelection,
) => (projects?.includes(project) ?? true) && name.startsWith(namePrefix) && (names?.has(name) ?? true);

/** By name. */
export function selectedFlags({ flags }: State, selection: FlagSelection): Flag[] {
  const found: Flag[] = [];
  for (const flag of flags.values()) if (isSelected(flag, selection)) found.push(flag);
  return found;
}

/** A segment that only flags of private projects use is none of other projects' business. */
export const isSegmentSelected = ({ projects = null }: Partial<Segment>, selection: FlagSelection) =>
  projects === null || (selection.projects?.some((project) => projects.includes(project)) ?? true);

/** As JSON, by id. */
export const selectedSegments = ({ segments }: State, selection: FlagSelection): string[] =>
  [...segments.values()].filter((segment) => isSegmentSelected(segment, selection)).map(({ text }) => text);
