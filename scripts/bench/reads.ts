import { setTimeout } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { type Order, type Recorded, startBare } from "./bare.ts";
import type { Context, Version } from "./context.ts";
import { ADMIN, CLIENT, COMMON, FRONTEND, featureName, PROJECTS, RARE, VIEWER } from "./dataset.ts";
import { type Aim, aimTable, medianBy, megabytes, ratio, short, table } from "./figures.ts";
import { ask, costOf, type Figure, measure, type Request, send } from "./load.ts";
import { type Server, stop, usage } from "./process.ts";
import { companyOf, serve } from "./version.ts";

/** A read to measure, or a usage report. */
export interface Read extends Request {
  /** A change that it depends on; by default a flag is switched. */
  change?: (turn: number) => Request;
  /** Few, if others are kept waiting or refused meanwhile. */
  connections?: number;
  /** Most milliseconds of processor time after a change. */
  most?: number;
}

const admin = (name: string, path: string, rest: Partial<Read> = {}): Read => ({
  name,
  path: `/api/admin/${path}`,
  token: ADMIN,
  ...rest,
});

const search = (name: string, criteria: object, rest: Partial<Read> = {}): Read =>
  admin(`search: ${name}`, "events/search", { body: JSON.stringify(criteria), ...rest });

const newer = (name: string, path: string, rest: Partial<Read> = {}) =>
  admin(`newer search: ${name}`, `search/${path}`, rest);

const [project = ""] = PROJECTS;
const feature = featureName(0);

/** An application's usage of 20 flags, some with variants. */
export function usageReport(nameOf = featureName): Request {
  const now = new Date().toISOString();
  const toggles = Array.from({ length: 20 }, (_, index) => [
    nameOf(index),
    { yes: index, no: 1, variants: index % 4 === 0 ? { red: index, blue: 1 } : {} },
  ]);
  const bucket = { start: now, stop: now, toggles: Object.fromEntries(toggles) };
  const body = JSON.stringify({ appName: "shop", instanceId: "one", bucket });
  return { name: "usage report of 20 flags", path: "/api/client/metrics", token: CLIENT, body };
}

/** What a text search may take, in milliseconds. */
const TEXT = { most: 5 };

const readsOf = (events: number): Read[] => [
  admin("events", "events", { most: 1 }),
  admin("events, two projects hidden", "events", { token: VIEWER, most: 1 }),
  admin("events of a project", `events?project=${project}`, {
    connections: 4,
    most: Math.max(1, (events / PROJECTS.length) * 0.003), // 3 µs for each
  }),
  admin("project features (100 flags)", `projects/${project}/features`, { most: 1 }),
  admin("strategies", `projects/${project}/features/${feature}/environments/production/strategies`, {
    most: 1,
  }),
  admin("user", "user-admin/7", { most: 1, change: changeOfUser }),
  admin("notifications", "notifications", { most: 1 }),
  admin("personal dashboard", "personal-dashboard", { most: 1 }),
  admin("project details", `personal-dashboard/${project}`, { most: 1 }),
  admin("integration events", "addons/1/events", { most: 1, change: changeOfIntegration }),
  search("all", {}, { most: 1 }),
  search("no hit", { query: "nowhere-to-be-found" }, TEXT),
  search("rare", { query: RARE }, TEXT),
  search("common", { query: COMMON }, TEXT),
  search("one character", { query: "z" }, TEXT),
  search("two characters", { query: "ze" }, TEXT),
  search("two, no hit", { query: "qq" }, TEXT),
  search("type", { type: "feature-created" }),
  search("project", { project }),
  search("feature", { feature }),
  search("common in a project", { query: COMMON, project }, TEXT),
  search("rare of a type", { query: RARE, type: "feature-updated" }, TEXT),
  search("common of a feature", { query: COMMON, feature }, TEXT),
  search("rare, two projects hidden", { query: RARE }, { ...TEXT, token: VIEWER }),
  search("deep offset", { offset: Math.floor(events / 3) }),
  admin("projects (50)", "projects", { most: 1 }),
  newer("flags by text", "features?query=feature-42", TEXT),
  newer("flags of a project", `features?project=IS:${project}`, TEXT),
  newer("flags by state, the second page", "features?state=IS:active&offset=50&limit=50", TEXT),
  newer("newest events", "events"),
  newer("events of a project", `events?project=IS:${project}`),
  newer("events of a flag", `events?feature=IS:${feature}`),
  newer("events of two types", "events?type=IS_ANY_OF:feature-created,feature-archived"),
  newer("rare text", `events?query=${RARE}`, TEXT),
  admin("playground of 100 flags", "playground", {
    most: 5,
    connections: 1,
    body: JSON.stringify({
      environment: "production",
      projects: [project],
      context: { appName: "shop", userId: "7", properties: { country: "DE" } },
    }),
  }),
  {
    name: "frontend of 1,000 flags",
    path: "/api/frontend?userId=7&country=DE",
    token: FRONTEND,
    connections: 8,
    most: 1.2,
  },
  usageReport(),
];

/** A change by an administrator. */
const change = (method: string, path: string, body?: object): Request => ({
  ...admin("change", path),
  method,
  body: body && JSON.stringify(body),
});

const switchFlag = (turn: number) =>
  change(
    "POST",
    `projects/${project}/features/${feature}/environments/production/${turn % 2 ? "on" : "off"}`,
  );

function changeOfUser(turn: number) {
  return change("PUT", "user-admin/7", { name: `Seven ${turn}`, email: "user7@example.com", rootRole: 3 });
}

function changeOfIntegration(turn: number) {
  const parameters = { url: "http://127.0.0.1/" };
  const rest = { provider: "webhook", enabled: false, parameters, events: ["feature-created"] };
  return change("PUT", "addons/1", { ...rest, description: `Changed ${turn}` });
}

/** Nothing that is measured depends on it, and no event records it. */
const unrelated = (turn: number) => change("POST", `splash/introduction-${turn}`);

/** Figures of one version; some are missing for what it doesn't know, or for responses without an ETag. */
interface Figures {
  bytes: number;
  /** Repeated, under load. */
  warm: Figure;
  notModified?: Figure;
  /** Alone: repeated, and after changes. */
  alone: Figure;
  unrelated?: Figure;
  changed?: Figure;
  /** After another process has written to the file, so that everything has to be read again. */
  forgotten: Figure;
}

interface Row {
  read: Read;
  bare: Figure;
  bare304?: Figure;
  /** In the order of the versions; undefined for one that doesn't have it. */
  figures: Array<Figures | undefined>;
}

interface Subject {
  server: Server;
  file: string;
  version: Version;
}

export async function run(context: Context) {
  const { options, versions, print, progress } = context;
  const subjects: Subject[] = [];
  for (const version of versions) {
    const { file, seconds, used, sizes } = await companyOf(context, version);
    subjects.push({ version, file, server: await serve(version, file) });
    print(
      `- ${version.name}: ${options.events} events imported in ${short(seconds)} s, a dataset of ` +
        `${megabytes(sizes.dataset)} MB into a file of ${megabytes(sizes.file)} MB, peak memory ${megabytes(used.peak)} MB`,
    );
  }
  const bare = await startBare();
  const before = await memoryOf(subjects);
  const isWhole = options.only === "";
  const rows: Row[] = [];
  for (const read of readsOf(Number(options.events)).filter(({ name }) => name.includes(options.only))) {
    progress(read.name);
    rows.push(await measureRead(read, subjects, bare, options));
  }
  const memory = [before, await memoryOf(subjects)];
  if (isWhole) {
    await setTimeout(QUIET_MS);
    memory.push(await memoryOf(subjects));
  }
  const when = `before the reads, and after${isWhole ? ", and once there was nothing to do" : ""}`;
  for (const [index, { version }] of subjects.entries())
    print(
      `- ${version.name}: ${memory.map((all) => megabytes(all[index]!)).join(", ")} MB of memory ${when}`,
    );
  await Promise.all([bare, ...subjects.map(({ server }) => server)].map(stop));
  print(`\n${table(HEAD, rows.map(toCells))}`);
  if (versions.length > 1) print(`\n${table(BESIDE_HEAD, rows.map(toBesideCells))}`);
  const afterAll = { name: "memory after the reads", value: memory.at(-1)![0]! / 1e6, limit: 90, unit: "MB" };
  print(`\n${aimTable([...rows.flatMap(aimsOf), ...(isWhole ? [afterAll] : [])])}`);
}

const memoryOf = (subjects: readonly Subject[]) =>
  Promise.all(subjects.map(async ({ server }) => (await usage(server)).memory));

/** After so many milliseconds without work, a server gives memory back. */
const QUIET_MS = 25_000;

/** The versions are interleaved over several rounds, so that noise on the machine affects all of them. */
async function measureRead(
  read: Read,
  subjects: readonly Subject[],
  bare: Server,
  { rounds, seconds: given }: Context["options"],
): Promise<Row> {
  const seconds = Number(given);
  const load = { connections: read.connections ?? 32, seconds };
  const known = await Promise.all(subjects.map(({ server }) => isKnown(server, read)));
  const recorded = await record(subjects[0]!.server, read);
  bare.child.send({ name: read.name, recorded } satisfies Order);
  const conditional = conditionalOf(read, recorded);
  const all: Row[] = [];
  for (let round = 0; round < Number(rounds); round++) {
    const row: Row = { read, bare: await measure(bare, read, load), figures: [] };
    if (conditional) row.bare304 = await measure(bare, conditional, load);
    for (const [index, subject] of subjects.entries()) {
      if (round === 0 && known[index]) await measure(subject.server, read, { ...load, seconds: 5 * seconds }); // V8 compiles
      row.figures.push(known[index] ? await measureSubject(read, subject, load, recorded) : undefined);
    }
    all.push(row);
  }
  return medianRow(all);
}

async function measureSubject(
  read: Read,
  { server, file }: Subject,
  load: { connections: number; seconds: number },
  recorded: Recorded,
): Promise<Figures> {
  const { seconds } = load;
  const conditional = conditionalOf(read, await record(server, read));
  const afterChange = read.change ?? switchFlag;
  const figures: Figures = {
    bytes: Buffer.from(recorded.body, "base64").length,
    warm: await measure(server, read, load),
    ...(conditional && { notModified: await measure(server, conditional, load) }),
    alone: await costOf(server, read, seconds),
    forgotten: await costOf(server, read, seconds, async () => writeElsewhere(file)),
  };
  for (const [column, change] of [
    ["unrelated", unrelated],
    ["changed", afterChange],
  ] as const) {
    let turn = 0;
    const isPossible = (await ask(server, change(turn))).status < 300;
    if (isPossible)
      figures[column] = await costOf(server, read, seconds, async () => {
        await send(server, change(++turn));
      });
  }
  return figures;
}

const isKnown = async (server: Server, read: Request) => (await ask(server, read)).status < 300;

/** Any commit by another process; this one changes nothing. */
function writeElsewhere(file: string) {
  const db = new Sqlite(file);
  db.pragma(`user_version = ${db.pragma("user_version", { simple: true })}`);
  db.close();
}

/** Records a response for the bare server to replay, byte for byte. */
export async function record(server: Server, request: Request): Promise<Recorded> {
  const { headers, body } = await send(server, request);
  const { connection: _, date: __, "keep-alive": ___, "transfer-encoding": ____, ...kept } = headers;
  return {
    headers: { ...(kept as Record<string, string>), "content-length": String(body.length) },
    body: body.toString("base64"),
  };
}

/** The request with `If-None-Match`; undefined if there is no ETag. */
export function conditionalOf<R extends Request>(request: R, { headers: { etag } }: Recorded): R | undefined {
  if (request.body !== undefined || etag === undefined) return undefined;
  return { ...request, headers: { ...request.headers, "if-none-match": etag } };
}

/** Column by column, the figure with the median CPU time. */
function medianRow(rows: readonly Row[]): Row {
  const of = (all: ReadonlyArray<Figure | undefined>) => {
    const given = all.filter((figure) => figure !== undefined);
    return given.length > 0 ? medianBy(given, ({ cpu }) => cpu) : undefined;
  };
  const [first] = rows as [Row];
  const figures = first.figures.map((one, index) => {
    if (one === undefined) return undefined;
    const columns = Object.keys(one).filter((name) => name !== "bytes") as Array<
      keyof Omit<Figures, "bytes">
    >;
    const medians = columns.map((name) => [name, of(rows.map((row) => row.figures[index]?.[name]))]);
    return { bytes: one.bytes, ...Object.fromEntries(medians) } as Figures;
  });
  const bare304 = of(rows.map((row) => row.bare304));
  return { read: first.read, bare: of(rows.map(({ bare }) => bare))!, ...(bare304 && { bare304 }), figures };
}

const us = (figure?: Figure) => (figure ? figure.cpu.toFixed(0) : "");

const HEAD = [
  ...["", "kB", "bare µs", "warm/s", "p50", "p99", "warm µs", "× bare", "304 µs", "× bare"],
  ...["alone µs", "unrelated µs", "changed µs", "forgotten µs", "p50 ms", "max delay ms"],
];

function toCells({ read, bare, bare304, figures: [own] }: Row): string[] {
  if (own === undefined) return HEAD.map((_, column) => (column === 0 ? read.name : ""));
  const { bytes, warm, notModified, alone, unrelated, changed, forgotten } = own;
  return [
    ...[
      read.name,
      short(bytes / 1000),
      us(bare),
      short(warm.rate),
      short(warm.p50),
      short(warm.p99),
      us(warm),
    ],
    ...[ratio(warm.cpu, bare.cpu), us(notModified), ratio(notModified?.cpu, bare304?.cpu), us(alone)],
    ...[us(unrelated), us(changed), us(forgotten), short(forgotten.p50), short(forgotten.loopDelay.max)],
  ];
}

/** The columns that are compared. */
const COMPARED = ["warm", "notModified", "changed", "forgotten"] as const;

const BESIDE_HEAD = [
  "",
  ...["warm", "304", "changed", "forgotten"].flatMap((name) => [`${name} µs`, "beside", "×"]),
];

const toBesideCells = ({ read, figures: [own, beside] }: Row) => [
  read.name,
  ...COMPARED.flatMap((column) => [
    us(own?.[column]),
    us(beside?.[column]),
    ratio(own?.[column]?.cpu, beside?.[column]?.cpu),
  ]),
];

/** After a change, and relative to a bare server. */
function aimsOf({ read: { name, most, body, connections }, bare, figures: [own] }: Row): Aim[] {
  if (own === undefined) return [];
  const value = (own.changed ?? own.forgotten).cpu / 1000;
  return [
    ...(most === undefined ? [] : [{ name: `${name}, after a change`, value, limit: most, unit: "ms" }]),
    ...(connections || body
      ? []
      : [{ name: `${name}, warm`, value: own.warm.cpu / bare.cpu, limit: 2, unit: "× bare" }]),
  ];
}
