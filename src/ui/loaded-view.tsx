import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isLost } from "./connection.ts";
import { Working } from "./parts/answer.tsx";
import { VIEWS, type View } from "./views.ts";

const loaded = signal<ReadonlyMap<View, ComponentType>>(new Map());

/** A view, once its file has loaded. */
export function LoadedView({ view }: { view: View }) {
  useEffect(() => {
    document.title = `${view.title} · Flagstone`;
    void load(view);
  }, [view, isLost.value]);
  const Shown = loaded.value.get(view);
  return Shown ? <Shown /> : <Working />;
}

/** Preloads the files of all views after a moment, so that they open instantly. */
export const loadAll = () => setTimeout(() => VIEWS.forEach(load), PRELOAD_AFTER_MS);

const PRELOAD_AFTER_MS = 2000;

async function load(view: View) {
  if (loaded.value.has(view)) return;
  try {
    const file = await view.load();
    loaded.value = new Map([...loaded.value, [view, file.View]]);
  } catch {
    isLost.value = true; // retried when the server is back
  }
}
