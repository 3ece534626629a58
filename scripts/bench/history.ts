import fs from "node:fs";
import path from "node:path";
import { closing } from "../../src/cli/data-file.ts";
import { open } from "../../src/db/open.ts";
import { schemaObjects } from "../../src/db/schema-objects.ts";
import { adminRequest } from "./changes.ts";
import type { Context } from "./context.ts";
import { PROJECTS } from "./dataset.ts";
import { aimTable, median } from "./figures.ts";
import { send, timed } from "./load.ts";
import { runProbed, type Server, stop } from "./process.ts";
import { companyOf, serve } from "./version.ts";

const CHANGES = 3000;

const [project = ""] = PROJECTS;
const FLAG = `projects/${project}/features/with-history`;
const PLACE = `${FLAG}/environments/development`;

/** What the history costs a change and the file, beside the same file without it, and a state from before all of them. */
export async function run(context: Context) {
  const { versions, folder, progress, print } = context;
  const version = versions[0]!;
  const { file } = await companyOf(context, version);
  const files = ["with.db", "without.db"].map((name) => path.join(folder, name));
  for (const copy of files) fs.copyFileSync(file, copy);
  withoutHistory(files[1]!);
  const before = fs.statSync(file).size;
  const servers = await Promise.all(files.map((copy) => serve(version, copy)));
  progress(`${CHANGES} changes, with and without history`);
  const times: number[][] = [[], []];
  for (const server of servers) await begin(server);
  for (let round = 0; round < CHANGES; round++)
    for (const [index, server] of servers.entries())
      times[index]!.push(await timed(() => send(server, changeOf(round))));
  for (const server of servers) await stop(server);
  const [withIt = 0, withoutIt = 0] = files.map((copy) => fs.statSync(copy).size - before);
  progress("a state of before");
  const args = ["export", "--as", "yaml", "--project", project, "--data", files[0]!];
  const now = await runProbed([version.script, ...args, path.join(folder, "now.yaml")]);
  const at = ["--at", firstEvent(files[0]!)];
  const past = await runProbed([version.script, ...args, ...at, path.join(folder, "past.yaml")]);
  print(
    aimTable([
      {
        name: "a change, relative to one without history",
        value: median(times[0]!) / median(times[1]!),
        limit: 1.25,
        unit: "×",
      },
      {
        name: "what changes add to the file, relative to that",
        value: withIt / withoutIt,
        limit: 1.6,
        unit: "×",
      },
      {
        name: `the state before ${CHANGES} changes: processor time beyond that of today's`,
        value: (past.cpu - now.cpu) / 1e6,
        limit: 2,
        unit: "s",
      },
      { name: "the most memory of that", value: past.peak / 1e6, limit: 150, unit: "MB" },
    ]),
  );
}

function withoutHistory(file: string) {
  using db = closing(open(file));
  for (const { type, name } of schemaObjects(db))
    if (type === "trigger" && name.startsWith("history_of_")) db.exec(`DROP TRIGGER ${name}`);
}

function firstEvent(file: string): string {
  using db = closing(open(file));
  const first = db.prepare("SELECT event FROM history_points ORDER BY history, event LIMIT 1");
  return String(first.pluck().get());
}

async function begin(server: Server) {
  await send(server, adminRequest("POST", `projects/${project}/features`, { name: "with-history" }));
  await send(server, adminRequest("POST", `${PLACE}/strategies`, { name: "default" }));
}

/** Switches, descriptions, and strategies that come. */
function changeOf(round: number) {
  if (round % 3 === 0) return adminRequest("POST", `${PLACE}/${round % 2 ? "off" : "on"}`);
  if (round % 3 === 1 || round > 80)
    return adminRequest("PUT", FLAG, { type: "release", description: `what it is for, ${round}` });
  return adminRequest("POST", `${PLACE}/strategies`, { name: "default", title: `for some, ${round}` });
}
