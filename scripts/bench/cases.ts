import type { Imported, Version } from "./version.ts";

/** What a case is given. */
export interface Context {
  /** For temporary files. */
  folder: string;
  options: Options;
  /** This checkout, and the one beside it, if any. */
  versions: readonly Version[];
  /** Imports that later cases use too, by version. */
  imported: Map<Version, Imported>;
  /** Shows what is being done. */
  progress(text: string): void;
  /** Prints a part of the report. */
  print(text: string): void;
}

export interface Case {
  name: string;
  summary: string;
  load(): Promise<{ run(context: Context): Promise<void> }>;
}

export const CASES: readonly Case[] = [
  {
    name: "start",
    summary: "processor time, private memory and duration of a start",
    load: () => import("./start.ts"),
  },
  {
    name: "reads",
    summary: "reads that are repeated, and after changes of several kinds",
    load: () => import("./reads.ts"),
  },
  {
    name: "searches",
    summary: "searches of flags, with 50 of them and with 5,000",
    load: () => import("./searches.ts"),
  },
  {
    name: "changes",
    summary: "changes by one client and by many, in bulk, and beside reads; the longest of many",
    load: () => import("./changes.ts"),
  },
  {
    name: "long",
    summary: "an import beside the server, and streams of a large project",
    load: () => import("./long.ts"),
  },
  {
    name: "streams",
    summary: "memory of streaming clients, and how soon a change reaches all of them",
    load: () => import("./streams.ts"),
  },
  {
    name: "deliveries",
    summary: "their rate, what they cost reads and changes, and their lag",
    load: () => import("./deliveries.ts"),
  },
  {
    name: "clients",
    summary: "applications that fetch flags, report usage, and poll by the thousand",
    load: () => import("./clients.ts"),
  },
  {
    name: "listen",
    summary: "the server's own way to listen, beside listhen's",
    load: () => import("./listen.ts"),
  },
  {
    name: "page",
    summary: "the page in a browser: first view, long lists, live updates, an hour of changes",
    load: () => import("./page.ts"),
  },
];

const option = (hint: string, value: string, help: string) =>
  ({ type: "string", hint, default: value, help }) as const;

/** Of all cases; what a case does not need, it ignores. */
export const OPTIONS = {
  beside: option("DIR", "", "another checkout, installed, to measure in the same run"),
  events: option("N", "200000", "events in the log"),
  seconds: option("N", "0.3", "duration of each measurement; 1 for figures to publish"),
  rounds: option("N", "3", "how many times each is taken, interleaved"),
  only: option("TEXT", "", "only reads whose name contains TEXT"),
  changes: option("N", "3000", "how many changes the longest is looked for in"),
  flags: option("N", "1000", "flags of the applications"),
  clients: option("N", "1000", "streaming clients; the system must allow that many open files"),
  path: option("PATH", "/api/client/streaming", "the stream; or /api/admin/events/stream"),
  sdks: option("N", "5000", "polling SDKs; 0 for none"),
  interval: option("S", "15", "seconds between two polls of an SDK"),
  changing: option("N", "0.02", "share of the flags toggled per minute"),
  minutes: option("N", "1", "how long the SDKs are measured"),
} as const;

export type Options = Record<keyof typeof OPTIONS, string>;
