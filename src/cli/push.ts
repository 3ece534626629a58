import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { Database } from "../db/database.ts";
import { DataError } from "../db/error.ts";
import { isKnown } from "../db/known.ts";
import { IN_MEMORY, open } from "../db/open.ts";
import { toLine } from "../flags-as-text/step.ts";
import { type Connection, rootOf } from "../http/other-server.ts";
import { UsageError } from "../lib/usage-error.ts";
import { importLines } from "../transfer/import.ts";
import type { Left } from "../unleash/outgoing-lines.ts";
import { pulledLines } from "../unleash/pull.ts";
import { wantedProjects } from "../unleash/pull-flags.ts";
import { openPull, type Pull } from "../unleash/pull-source.ts";
import { type Plan, planPush, sendPush } from "../unleash/push.ts";
import { type Context, command, JSON_OPTION, onStop } from "./command.ts";
import { closing, dataFileToRead } from "./data-file.ts";
import { counted, endProgress, logLeft, progressTextOn } from "./output.ts";
import { connectionTo, SERVER_OPTIONS } from "./server-url.ts";

const OPTIONS = {
  to: { hint: "URL", help: "the server to change: an Unleash, or another Flagstone" },
  ...SERVER_OPTIONS,
  project: { multiple: true, hint: "ID", help: "only this project; may be repeated" },
  "dry-run": { help: "only print what would change" },
  ...JSON_OPTION,
} as const;

type PushContext = Context<typeof OPTIONS>;

export const push = command({
  name: "push",
  summary: "Give another server the flags of the data file, and what they need, through its API",
  example: "push --to https://unleash.example.com --token-file token.txt --data flags.db --dry-run",
  settings: ["data", "log-format", "log-level", "quiet"],
  options: OPTIONS,
  async run(context) {
    const { options, log } = context;
    const { to, project: projects = [], "dry-run": isDryRun = false } = options;
    if (to === undefined) throw new UsageError("push needs --to URL, the server to change");
    const stopped = new AbortController();
    onStop(context.world, (name) => stopped.abort(new Error(`Stopped by ${name}: run it again to go on`)));
    const server = connectionTo(rootOf(to), context, stopped.signal);
    using ours = dataFileToRead(context.config);
    requireProjects(ours, projects);
    try {
      using theirs = await copyOf(context, server, projects);
      const plan = planPush({ ours, theirs, projects });
      if (!options.json) for (const step of plan.steps) context.print(toLine(step));
      const onProgress = progressOf(context);
      const refused = isDryRun ? [] : await sendPush(server, plan.requests, { log, onProgress });
      endProgress(context);
      const left = [...plan.left, ...refused];
      if (options.json) context.print(JSON.stringify({ changes: plan.steps, left }));
      logLeft(context, left);
      log({ level: "info", message: toSentence(plan, refused, isDryRun), server: server.url });
    } catch (error) {
      endProgress(context);
      throw stopped.signal.aborted ? stopped.signal.reason : error;
    }
  },
});

function toSentence({ steps }: Plan, refused: readonly Left[], isDryRun: boolean) {
  const count = refused.reduce((sum, one) => sum + one.count, 0);
  const changes = counted(steps.length, "change");
  if (isDryRun) return `${changes} would be made`;
  return count === 0
    ? `${changes} made`
    : `${changes} made, but for ${counted(count, "request")} named above`;
}

function requireProjects(db: Database, projects: readonly string[]) {
  const missing = projects.find((id) => !isKnown(db, "project", id));
  if (missing !== undefined) throw new DataError(`There is no project ${missing}`);
}

/** What the server has of these projects, in a file in memory. */
async function copyOf(context: PushContext, server: Connection, projects: readonly string[]) {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-push-")), "answers");
  const db = closing(open(IN_MEMORY));
  try {
    const { log } = context;
    const show = progressTextOn(context);
    const onProgress: Pull["onProgress"] = (noun, done, total) => show(`${noun}: ${done} of ${total}`);
    const pull = openPull(folder, server, {
      projects: [],
      withEvents: false,
      onlyFlags: true,
      log,
      onProgress,
    });
    const there = (await wantedProjects(pull)).map(({ id }) => String(id));
    pull.options.projects = there.filter((id) => projects.includes(id));
    await importLines(db, pulledLines(pull));
    return db;
  } catch (error) {
    db[Symbol.dispose]();
    throw error;
  } finally {
    fs.rmSync(path.dirname(folder), { recursive: true });
  }
}

const progressOf = (context: PushContext) => {
  const show = progressTextOn(context);
  return (done: number, total: number) => show(`changes: ${done} of ${total}`);
};
