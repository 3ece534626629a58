import { RawJson } from "../lib/raw-json.ts";
import type { Event } from "./schema.ts";

/*
 * An event is stored as its JSON, with links in its summary that are paths on this server. They stay relative, so that
 * the file can be moved, unless the operator has set the server's public URL.
 */
export class EventText extends RawJson<Event> {
  override toText(root: string) {
    return linked(this.text, root);
  }
}

/** A summary alone. */
export class Summary extends RawJson<string | null> {
  override toText(root: string) {
    return isLinked(root) ? withRoot(this.text, root) : this.text;
  }
}

/** The elements of a list as JSON text. */
export const joined = (wires: readonly string[], root: string) =>
  (isLinked(root) ? wires.map((wire) => linked(wire, root)) : wires).join(",");

/** One event; the summary is its last key. */
function linked(wire: string, root: string) {
  if (!isLinked(root)) return wire;
  const at = wire.lastIndexOf('"summary":');
  return wire.slice(0, at) + withRoot(wire.slice(at), root);
}

/** Whether links are rewritten: the root is a full URL. */
const isLinked = (root: string) => root.startsWith("http");

const withRoot = (text: string, root: string) => text.replaceAll("](/", `](${root}/`);
