import type { State } from "./state.ts";
import type { Flag } from "./store.ts";

/** The flags that an application may have of those it asks for. */
export interface Wanted {
  /** Undefined for all that there are. */
  projects: readonly string[] | undefined;
  environment: string;
  /** What their names begin with, to the letter. */
  namePrefix?: string | undefined;
  /** Those with any of some tags. */
  names?: ReadonlySet<string> | undefined;
}

export const isWanted = (
  { name, project }: Pick<Flag, "name" | "project">,
  { projects, namePrefix = "", names }: Wanted,
) => (projects?.includes(project) ?? true) && name.startsWith(namePrefix) && (names?.has(name) ?? true);

/** By name. */
export function wantedFlags({ flags }: State, wanted: Wanted): Flag[] {
  const found: Flag[] = [];
  for (const flag of flags.values()) if (isWanted(flag, wanted)) found.push(flag);
  return found;
}
