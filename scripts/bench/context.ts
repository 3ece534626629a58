import type { Usage } from "./process.ts";

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
  from: option("URL", "", "pull from this server instead of one of our own"),
  "from-token": option("TOKEN", "", "an administrator's token there"),
  minutes: option("N", "1", "how long the SDKs are measured"),
} as const;

export type Options = Record<keyof typeof OPTIONS, string>;

/** A checkout under test, which is built first. */
export interface Version {
  name: string;
  /** What Node is to run. */
  script: string;
}

/** An import and its cost; sizes in bytes. */
export interface Imported {
  file: string;
  seconds: number;
  used: Usage;
  sizes: { dataset: number; file: number };
}

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
