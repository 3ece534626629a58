import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { isLost } from "../api.ts";
import { whileBusy } from "../reads.ts";
import { Working } from "./words.tsx";

/** A component in a file of its own, which is loaded once it is shown; again when the server is back. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P>>();
  let isLoading = false;
  const start = async () => {
    isLoading = true;
    try {
      loaded.value = await whileBusy(load());
    } catch {
      isLost.value = true;
    }
    isLoading = false;
  };
  return (props) => {
    const Shown = loaded.value;
    if (!Shown && !isLoading && !isLost.value) void start();
    return Shown ? <Shown {...props} /> : <Working />;
  };
}
