import path from "node:path";
import type { Case } from "./cases.ts";
import { ADMIN, flagLines } from "./dataset.ts";
import { type Figure, measure, median, start } from "./load.ts";
import { importInto, writeLines } from "./prepare.ts";

/** A search of few flags, and the same of a hundred times as many; each after a change to one of them. */
export interface Searched {
  name: string;
  few: Figure;
  many: Figure;
}

export const FEW = 50;
export const MANY = 5000;

/** Each finds a page of the same length, however many flags there are. */
const searchesOf = (flags: number): Case[] =>
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

/** @param seconds the duration of each measurement, of which there are `rounds`, interleaved */
export async function measureSearches(
  folder: string,
  { seconds, rounds }: { seconds: number; rounds: number },
  progress: (text: string) => void,
): Promise<Searched[]> {
  const [few, many] = [await serve(FEW, folder, progress), await serve(MANY, folder, progress)];
  const searched: Searched[] = [];
  const load = { connections: 32, seconds };
  for (const [index, { name }] of searchesOf(FEW).entries()) {
    progress(`searches: ${name}`);
    const figures: { few: Figure[]; many: Figure[] } = { few: [], many: [] };
    for (let round = 0; round < rounds; round++) {
      figures.few.push(await measure(few, "cold", searchesOf(FEW)[index]!, load));
      figures.many.push(await measure(many, "cold", searchesOf(MANY)[index]!, load));
    }
    searched.push({ name, few: median(figures.few), many: median(figures.many) });
  }
  for (const { child } of [few, many]) child.kill();
  return searched;
}

async function serve(flags: number, folder: string, progress: (text: string) => void) {
  const file = path.join(folder, `${flags}-flags.db`);
  await importInto(await writeLines(flagLines(flags), `${file}.jsonl`), file, progress);
  return start("flagstone", file);
}
