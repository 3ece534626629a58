import path from "node:path";
import type { Context } from "./context.ts";
import { ADMIN, flagLines } from "./dataset.ts";
import { aimTable, median, ratio, table } from "./figures.ts";
import { costOf, type Request, send } from "./load.ts";
import { stop } from "./process.ts";
import { importInto, serve } from "./version.ts";

const FEW = 50;
const MANY = 5000;

/** Each finds a page of the same length, however many flags there are. */
const searchesOf = (flags: number): Request[] =>
  Object.entries({
    all: "",
    "a text in every flag": "query=feature",
    "a text in no flag": "query=nowhere",
    "by state": "state=IS:active",
    "by state, no hit": "state=IS:stale",
    "by status": "status=production:enabled&limit=10",
    "by tag": "tag=INCLUDE:team:team-1&limit=2",
    "without a tag": "tag=DO_NOT_INCLUDE:team:none",
    "sorted by name": "sortBy=name&sortOrder=desc",
    "sorted by type": "sortBy=type",
    "sorted by environment": "sortBy=environment:production",
    "favorites first": "sortBy=name&favoritesFirst=true",
    "the last page": `sortBy=name&offset=${flags - FEW}`,
  }).map(([name, query]) => ({ name, path: `/api/admin/search/features?${query}`, token: ADMIN }));

/** Searches of few flags, and of a hundred times as many; each after a change to one of them. */
export async function run({ versions: [version], folder, options, print, progress }: Context) {
  const serveFlags = async (flags: number) => {
    const { file } = await importInto(path.join(folder, `${flags}-flags.db`), version!, flagLines(flags));
    return serve(version!, file);
  };
  const [few, many] = [await serveFlags(FEW), await serveFlags(MANY)];
  const rows = [];
  for (const [index, search] of searchesOf(FEW).entries()) {
    progress(search.name);
    const [ofFew, ofMany]: [number[], number[]] = [[], []];
    for (let round = 0; round < Number(options.rounds); round++) {
      ofFew.push(await afterSwitch(few, search, Number(options.seconds)));
      ofMany.push(await afterSwitch(many, searchesOf(MANY)[index]!, Number(options.seconds)));
    }
    rows.push({ name: search.name, few: median(ofFew), many: median(ofMany) });
  }
  await Promise.all([few, many].map(stop));
  const head = ["search of flags after a change, µs", `${FEW} flags`, `${MANY} flags`, "×"];
  print(
    table(
      head,
      rows.map((row) => [row.name, row.few.toFixed(0), row.many.toFixed(0), ratio(row.many, row.few)]),
    ),
  );
  const aims = rows.map(({ name, many }) => ({ name, value: many / 1000, limit: 5, unit: "ms" }));
  print(`\n${aimTable(aims.toSorted((a, b) => b.value - a.value).slice(0, 1))}`);
}

/** The CPU time of a search after one flag was switched. */
async function afterSwitch(server: Parameters<typeof costOf>[0], search: Request, seconds: number) {
  const flag = "/api/admin/projects/project-0/features/team-0-feature-0/environments/production";
  let turn = 0;
  const { cpu } = await costOf(server, search, seconds, async () => {
    await send(server, { ...search, method: "POST", path: `${flag}/${turn++ % 2 ? "on" : "off"}` });
  });
  return cpu;
}
