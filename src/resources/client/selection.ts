import type { State } from "./state.ts";
import type { Flag } from "./store.ts";

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
