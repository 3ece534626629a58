import type { Context } from "./context.ts";

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
    name: "approvals",
    summary: "applying change requests, beside bulk changes; lists of flags with pending ones",
    load: () => import("./approvals.ts"),
  },
  {
    name: "history",
    summary: "what keeping history costs changes and the file, and a state from before them",
    load: () => import("./history.ts"),
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
    name: "edge",
    summary: "an edge beside a bare server, the Unleash Proxy and its own server; its start; streams",
    load: () => import("./edge.ts"),
  },
  {
    name: "scaling",
    summary:
      "a server, four edges, and applications (--sdks): all start, changes, an edge killed, the server away",
    load: () => import("./scaling.ts"),
  },
  {
    name: "listen",
    summary: "the server's own way to listen, beside listhen's",
    load: () => import("./listen.ts"),
  },
  {
    name: "imports",
    summary: "importing an Unleash's dump, beside a dataset with the same content",
    load: () => import("./imports.ts"),
  },
  {
    name: "proof",
    summary: "verifying the chain of hashes of the log",
    load: () => import("./proof.ts"),
  },
  {
    name: "pull",
    summary: "copying what a server tells, beside requests for the same",
    load: () => import("./pull.ts"),
  },
  {
    name: "page",
    summary: "the page in a browser: first view, long lists, live updates, an hour of changes",
    load: () => import("./page.ts"),
  },
];
