import path from "node:path";
import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import type { Context } from "./context.ts";
import { ADMIN, PROJECTS } from "./dataset.ts";
import { aimTable, many, type Pace, paceOf, ratio, short, table } from "./figures.ts";
import { measure, type Request, send, timed } from "./load.ts";
import { type Server, stop, usage } from "./process.ts";
import { companyOf, serve } from "./version.ts";

/** How many clients there are at once, how many flags a bulk change marks, the most allowed, and how many are made. */
const CLIENTS = 32;
const BULK = 1000;
const ROUNDS = 10;

/** Between two changes while reads are measured: people do not work faster. */
const PAUSE_MS = 20;

const [own = "", other = ""] = PROJECTS;

/** A list of a hundred flags. */
export const READ: Request = { name: "reads", path: `/api/admin/projects/${own}/features`, token: ADMIN };

export const adminRequest = (method: string, path: string, body?: object): Request => ({
  name: "change",
  token: ADMIN,
  method,
  path: `/api/admin/${path}`,
  body: body && JSON.stringify(body),
});

/** A few seconds are needed to see the slow ones. */
const LONGER = 5;

export async function run(context: Context) {
  const { folder, options, versions, progress, print } = context;
  const seconds = LONGER * Number(options.seconds);
  const commits = commitPaces(path.join(folder, "commits.db"), seconds);
  const rows: string[][] = [
    row("a commit of better-sqlite3", commits.synced),
    row("the same without waiting for the disk", commits.unsynced),
  ];
  for (const version of versions) {
    const server = await serve(version, (await companyOf(context, version)).file);
    const name = (text: string) => (version === versions[0] ? text : `${text}, ${version.name}`);
    progress(`changes, ${version.name}`);
    await changeFor(server, seconds, 1); // warm-up
    const one = await changeFor(server, seconds, 1);
    const several = await changeFor(server, seconds, CLIENTS);
    rows.push(row(name("a change, one client"), one, "a commit's time", ratio(one.p50, commits.synced.p50)));
    rows.push(
      row(name(`${CLIENTS} clients`), several, "one client's rate", (several.rate / one.rate).toFixed(2)),
    );
    const bulk = await changeInBulk(server);
    rows.push(row(name("1,000 flags in bulk"), bulk.pace));
    const reads = await readsMeanwhile(server, seconds);
    rows.push(row(name("reads, 32 concurrent"), reads.alone));
    const during = `reads during ${many(reads.changes)} changes per second`;
    rows.push(
      row(name(during), reads.meanwhile, "reads alone", ratio(reads.meanwhile.rate, reads.alone.rate)),
    );
    const { repeated, after } = await readsAfterChanges(server);
    rows.push(row(name("one read, repeated"), repeated));
    const later = ratio(after.p50, repeated.p50);
    rows.push(
      row(name("one read, after a change in another project"), after, "the repeated read's time", later),
    );
    progress(`the longest of ${options.changes} changes, ${version.name}`);
    const long = await changeTimes(server, Number(options.changes));
    rows.push(row(name(`${many(Number(options.changes))} changes one after the other`), long));
    await stop(server);
    if (version !== versions[0]) continue;
    const aims = [
      { name: "event-loop delay of changes of 1,000 flags", value: bulk.delay, limit: 100, unit: "ms" },
      { name: "the longest change", value: long.max, limit: 50, unit: "ms" },
      {
        name: "reads during changes, relative to reads alone",
        value: reads.meanwhile.rate / reads.alone.rate,
        limit: 0.8,
        isLeast: true,
        unit: "×",
      },
    ];
    print(`${aimTable(aims)}\n`);
  }
  print(table(["changes", "per second", "p50 ms", "p99 ms", "max ms", "relative to", "×"], rows));
}

const row = (name: string, { rate, p50, p99, max }: Pace, base = "", times = "") => [
  name,
  many(rate),
  short(p50),
  short(p99),
  short(max),
  base,
  times,
];

/** What the disk takes for a commit, with and without waiting for it: an event's row of the same size. */
function commitPaces(file: string, seconds: number) {
  const db = new Sqlite(file);
  db.pragma("journal_mode = WAL");
  db.exec("CREATE TABLE events (id INTEGER PRIMARY KEY, wire TEXT)");
  const insert = db.prepare("INSERT INTO events (wire) VALUES (?)");
  const paceWith = (synchronous: string) => {
    db.pragma(`synchronous = ${synchronous}`);
    const times: number[] = [];
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const begin = performance.now();
      insert.run("x".repeat(1000));
      times.push(performance.now() - begin);
    }
    return paceOf(times);
  };
  const paces = { synced: paceWith("FULL"), unsynced: paceWith("OFF") };
  db.close();
  return paces;
}

let created = 0;

function changesOfOneFlag(project: string): Request[] {
  const name = `created-${created++}`;
  const features = `projects/${project}/features`;
  return [
    adminRequest("POST", features, { name }),
    adminRequest("POST", `${features}/${name}/environments/development/on`),
    adminRequest("POST", `${features}/${name}/environments/development/off`),
  ];
}

/** Each client creates a flag, enables it and disables it, over and over. */
export async function changeFor(server: Server, seconds: number, clients: number): Promise<Pace> {
  const times: number[] = [];
  const begin = performance.now();
  const client = async () => {
    while (performance.now() < begin + seconds * 1000) {
      for (const change of changesOfOneFlag(own)) times.push(await timed(() => send(server, change)));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return paceOf(times, (performance.now() - begin) / 1000);
}

async function changeTimes(server: Server, count: number): Promise<Pace> {
  const times: number[] = [];
  while (times.length < count) {
    for (const change of changesOfOneFlag(own)) times.push(await timed(() => send(server, change)));
  }
  return paceOf(times);
}

/** Many flags marked stale by one request. They are created by an import first, and left as they were. */
async function changeInBulk(server: Server): Promise<{ pace: Pace; delay: number }> {
  const features = Array.from({ length: BULK }, (_, index) => `bulk-${index}`);
  const data = { features: features.map((name) => ({ name })), featureStrategies: [], tagTypes: [] };
  const imported = { project: own, environment: "development", data };
  await send(server, adminRequest("POST", "features-batch/import", imported));
  await usage(server);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const change = adminRequest("POST", `projects/${own}/stale`, { features, stale: round % 2 === 0 });
    times.push(await timed(() => send(server, change)));
  }
  for (const what of ["archive", "revive"])
    await send(server, adminRequest("POST", `projects/${own}/${what}`, { features }));
  return { pace: paceOf(times), delay: (await usage(server)).loopDelay.max };
}

async function readsMeanwhile(server: Server, seconds: number) {
  const reads = async () => measure(server, READ, { connections: CLIENTS, seconds });
  const alone = await reads();
  let changes = 0;
  let isDone = false;
  const changing = (async () => {
    while (!isDone) {
      for (const change of changesOfOneFlag(other)) {
        await send(server, change);
        changes++;
        await setTimeout(PAUSE_MS);
      }
    }
  })();
  const begin = performance.now();
  const meanwhile = await reads();
  const elapsed = (performance.now() - begin) / 1000;
  isDone = true;
  await changing;
  return { alone, meanwhile, changes: changes / elapsed };
}

async function readsAfterChanges(server: Server) {
  const [repeated, after]: [number[], number[]] = [[], []];
  const read = () => timed(() => send(server, READ));
  for (let round = 0; round < 50; round++) {
    for (const change of changesOfOneFlag(other)) {
      await read();
      repeated.push(await read());
      await send(server, change);
      after.push(await read());
    }
  }
  return { repeated: paceOf(repeated), after: paceOf(after) };
}
