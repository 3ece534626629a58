import { signal } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { isLost } from "../api.ts";
import { whileBusy } from "../reads.ts";
import { Working } from "./words.tsx";

/** A component in a file of its own. */
export type Later<P extends object = object> = ComponentType<P> & {
  /** Loads the file before it is shown. */
  load(): Promise<void>;
};

/** It is loaded at the latest when it is first shown; again when the server is back. @param meanwhile what is shown */
export function later<P extends object>(
  file: () => Promise<ComponentType<P>>,
  meanwhile: ComponentChildren = <Working />,
): Later<P> {
  const loaded = signal<ComponentType<P>>();
  let loading: Promise<void> | undefined;
  const show = (component: ComponentType<P>) => {
    loaded.value = component;
  };
  const fail = () => {
    loading = undefined;
    isLost.value = true;
  };
  const load = () => (loading ??= file().then(show, fail));
  const Shown = (props: P) => {
    const Loaded = loaded.value;
    if (!Loaded && !isLost.value) void whileBusy(load());
    return Loaded ? <Loaded {...props} /> : meanwhile;
  };
  return Object.assign(Shown, { load });
}
