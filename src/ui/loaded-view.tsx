import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isLost } from "./connection.ts";
import { Working } from "./parts/answer.tsx";
import { VIEWS, type View } from "./views.ts";

const loaded = signal<ReadonlyMap<View, ComponentType>>(new Map());

/** A view, as soon as its file is there. */
export function LoadedView({ view }: { view: View }) {
  useEffect(() => {
    document.title = `${view.title} · Flagstone`;
    void load(view);
  }, [view, isLost.value]);
  const Shown = loaded.value.get(view);
  return Shown ? <Shown /> : <Working />;
}

/** Loads the files of all views while there is nothing else to do, so that they are there at once when they are opened. */
export const loadAll = () => setTimeout(() => VIEWS.forEach(load), IDLE_MS);

const IDLE_MS = 2000;

async function load(view: View) {
  if (loaded.value.has(view)) return;
  try {
    const file = await view.load();
    loaded.value = new Map([...loaded.value, [view, file.View]]);
  } catch {
    isLost.value = true; // it is tried again when the server is back
  }
}
