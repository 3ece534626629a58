import { adminRequest } from "./changes.ts";
import type { Context } from "./context.ts";
import { PROJECTS } from "./dataset.ts";
import { aimTable, median } from "./figures.ts";
import { send, timed } from "./load.ts";
import { type Server, stop } from "./process.ts";
import { companyOf, serve } from "./version.ts";

/** Flags in one change request, and in the bulk change beside it. */
const MANY = 100;
const ROUNDS = 15;

const [project = "", reviewed = ""] = PROJECTS;
const REQUESTS = `projects/${project}/change-requests`;
const CONFIG = `projects/${project}/environments/development/change-requests/config`;
const FEATURES = Array.from({ length: MANY }, (_, index) => `approved-${index}`);

const SEARCH = adminRequest("GET", `search/features?project=IS:${reviewed}&limit=100`);

/** Applying a request beside the same changes in bulk, and lists of flags with and without requests for each of them. */
export async function run(context: Context) {
  const { versions, progress, print } = context;
  const version = versions[0]!;
  const server = await serve(version, (await companyOf(context, version)).file);
  progress("applying change requests");
  await createFlags(server);
  const [bulk, applied, single, guarded]: number[][] = [[], [], [], []];
  for (let round = 0; round < ROUNDS; round++) {
    const isOn = round % 2 === 0; // so that each change is one
    if (isOn) bulk!.push(await changeInBulk(server, true));
    applied!.push(await apply(server, !isOn));
    if (!isOn) bulk!.push(await changeInBulk(server, false));
    single!.push(await changeOne(server, false));
    guarded!.push(await changeOne(server, true));
  }
  progress("lists of flags");
  const before = await listTimes(server);
  await proposeForEach(server);
  const after = await listTimes(server);
  await stop(server);
  const aims = [
    {
      name: `applying ${MANY} changes, relative to the same in bulk`,
      value: median(applied!) / median(bulk!),
      limit: 2,
      unit: "×",
    },
    {
      name: "a change while another environment needs approval, relative to one while none does",
      value: median(guarded!) / median(single!),
      limit: 1.1,
      unit: "×",
    },
    {
      name: "a list of flags with pending requests, relative to one without",
      value: median(after) / median(before),
      limit: 1.2,
      unit: "×",
    },
  ];
  print(aimTable(aims));
}

async function createFlags(server: Server) {
  for (const name of FEATURES) {
    await send(server, adminRequest("POST", `projects/${project}/features`, { name }));
    const place = `projects/${project}/features/${name}/environments/development`;
    await send(server, adminRequest("POST", `${place}/strategies`, { name: "default" }));
  }
}

const changeInBulk = (server: Server, isOn: boolean) => {
  const path = `projects/${project}/bulk_features/environments/development/${isOn ? "on" : "off"}`;
  return timed(() => send(server, adminRequest("POST", path, { features: FEATURES })));
};

async function apply(server: Server, isOn: boolean) {
  const changes = FEATURES.map((feature) => ({
    feature,
    action: "updateEnabled",
    payload: { enabled: isOn },
  }));
  const path = `projects/${project}/environments/development/change-requests`;
  const { id } = JSON.parse(String((await send(server, adminRequest("POST", path, changes))).body));
  await send(server, adminRequest("PUT", `${REQUESTS}/${id}/state`, { state: "In review" }));
  return timed(() => send(server, adminRequest("PUT", `${REQUESTS}/${id}/state`, { state: "Applied" })));
}

/** @param isGuarded whether changes of another environment of the project must be approved */
async function changeOne(server: Server, isGuarded: boolean) {
  await send(
    server,
    adminRequest("PUT", CONFIG.replace("development", "production"), { changeRequestsEnabled: isGuarded }),
  );
  const place = `projects/${project}/features/${FEATURES[0]}/environments/development`;
  const times: number[] = [];
  for (let count = 0; count < 20; count++)
    times.push(await timed(() => send(server, adminRequest("POST", `${place}/${count % 2 ? "on" : "off"}`))));
  return median(times);
}

/** Each one is another to the cache. */
async function listTimes(server: Server) {
  const times: number[] = [];
  for (let count = 0; count < 200; count++) {
    const request = { ...SEARCH, path: `${SEARCH.path}&query=team,${reviewed}${lists++}` };
    times.push(await timed(() => send(server, request)));
  }
  return times;
}

let lists = 0;

/** One request that changes every flag of a project that the list shows. */
async function proposeForEach(server: Server) {
  const { features } = JSON.parse(String((await send(server, SEARCH)).body));
  const path = `projects/${reviewed}/environments/development/change-requests`;
  const changes = features.map(({ name }: { name: string }) => ({
    feature: name,
    action: "updateEnabled",
    payload: { enabled: true },
  }));
  await send(server, adminRequest("POST", path, changes));
}
