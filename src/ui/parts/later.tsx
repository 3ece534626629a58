import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { isLost } from "../api.ts";
import { Working } from "./words.tsx";

/** A component in a file of its own, which is loaded once it is shown; again when the server is back. */
export function later<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  const loaded = signal<ComponentType<P>>();
  const start = async () => {
    try {
      loaded.value ??= await load();
    } catch {
      isLost.value = true;
    }
  };
  return (props) => {
    useEffect(() => void start(), [isLost.value]);
    const Shown = loaded.value;
    return Shown ? <Shown {...props} /> : <Working />;
  };
}
