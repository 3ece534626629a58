import { printable } from "../lib/printable.ts";

/** The parts of an event that are shown. */
interface Shown {
  createdAt: string;
  type: string;
  label: string | null;
  summary: string | null;
}

const BOLD = ["\u001b[1m", "\u001b[22m"] as const;
const DIM = ["\u001b[2m", "\u001b[22m"] as const;
const RED = ["\u001b[31m", "\u001b[39m"] as const;
const GREEN = ["\u001b[32m", "\u001b[39m"] as const;
const YELLOW = ["\u001b[33m", "\u001b[39m"] as const;

/** Wide enough for most types. */
const TYPE_WIDTH = 28;

/** Formats an event as one line: the time, the type, and who did what. */
export function eventLine({ createdAt, type, label, summary }: Shown, isColored: boolean): string {
  const paint = (text: string, [on, off]: readonly [string, string]) => (isColored ? on + text + off : text);
  const words = printable(summary ?? label ?? "")
    .replaceAll(/\*\*(.+?)\*\*/g, (_, text: string) => paint(withoutLinks(text), BOLD))
    .trim();
  const time = createdAt.replace(/\.\d+Z$/, "Z");
  return `${paint(time, DIM)}  ${paint(printable(type).padEnd(TYPE_WIDTH), colorOf(type))}  ${words}`.trimEnd();
}

const withoutLinks = (text: string) => text.replaceAll(/\[(.*?)\]\([^)]*\)/g, "$1");

/** Red for removals, green for additions. */
function colorOf(type: string) {
  if (/delete|remove|archive|disable|drop|reject|discard|failure|stale-on/.test(type)) return RED;
  return /creat|add|enabled|revive|import|approve|applied/.test(type) ? GREEN : YELLOW;
}
