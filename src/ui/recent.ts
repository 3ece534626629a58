import { useEffect } from "preact/hooks";
import { idOf, me } from "./session.ts";

/** A project or flag that was opened. */
export interface Visit {
  path: string;
  title: string;
}

/** How many are remembered. */
const MAX = 6;

/** Each user of a browser has their own. */
const key = () => `flagstone-recent-${me.value && idOf(me.value)}`;

/** What the user opened last, the newest first; kept in this browser. */
export function recent(): Visit[] {
  const kept = localStorage.getItem(key());
  return kept === null ? [] : JSON.parse(kept);
}

/** Names the window after what a view shows, and remembers it. @param title undefined until it is known */
export function useVisit(path: string, title: string | undefined) {
  useEffect(() => {
    if (title === undefined) return;
    document.title = `${title} · Flagstone`;
    const others = recent().filter((visit) => visit.path !== path);
    localStorage.setItem(key(), JSON.stringify([{ path, title }, ...others].slice(0, MAX)));
  }, [path, title]);
}
