/** Things of a kind that the other side will lack, or have otherwise, and why. */
export interface Left {
  kind: string;
  reason: string;
  count: number;
  /** If something has to be done about each. */
  names: string[];
}

/** Counts one more, with its name if someone has to do something about it. */
export type Leave = (kind: string, reason: string, name?: string) => void;

/** What counts, and the list of what was counted, by kind and reason. */
export function leaving(): { leave: Leave; list(): Left[] } {
  const all = new Map<string, Left>();
  const leave: Leave = (kind, reason, name) => {
    const key = `${kind}: ${reason}`;
    const one = all.get(key) ?? { kind, reason, count: 0, names: [] };
    all.set(key, one);
    one.count++;
    if (name !== undefined) one.names.push(name);
  };
  return { leave, list: () => [...all.values()] };
}
