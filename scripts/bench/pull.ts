import fs from "node:fs";
import path from "node:path";
import type { Context } from "./context.ts";
import { ADMIN, PROJECTS } from "./dataset.ts";
import { many, median, megabytes, short, table } from "./figures.ts";
import { timed } from "./load.ts";
import { runProbed, stop } from "./process.ts";
import { companyOf, serve } from "./version.ts";

/** How many requests are sent at once, as by default. */
const PARALLEL = 4;

const FLAGS_PER_PROJECT = 100;

/** A server to pull from. */
interface Source {
  url: string;
  token: string;
  /** The arguments for what is pulled. */
  only: readonly string[];
}

/** How long a pull takes, beside requests for the same URLs whose answers are thrown away. */
export async function run(context: Context) {
  const { options, versions, print } = context;
  const { from, "from-token": token } = options;
  if (from !== "") return print(await compare(context, { url: from, token, only: [] }));
  const { file } = await companyOf(context, versions[0]!);
  const server = await serve(versions[0]!, file);
  const projects = PROJECTS.slice(0, Number(options.flags) / FLAGS_PER_PROJECT);
  const only = projects.flatMap((id) => ["--project", id]);
  print(await compare(context, { url: server.url, token: ADMIN, only }));
  await stop(server);
}

async function compare({ folder, options, progress, versions }: Context, source: Source): Promise<string> {
  const [tokenFile, file] = [path.join(folder, "token.txt"), path.join(folder, "pulled.db")];
  fs.writeFileSync(tokenFile, source.token);
  const args = ["pull", "--from", source.url, ...source.only, "--token-file", tokenFile, "--data", file];
  const pull = (...more: string[]) => runProbed([versions[0]!.script, ...args, "--quiet", ...more]);
  progress("pull, to find the URLs");
  await pull("--dry-run");
  const paths = pathsIn(`${file}.pull`);
  const rounds: Array<{ fetched: number; pulled: number; peak: number }> = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    progress(`pull, round ${round}`);
    for (const name of fs.globSync(`${file}*`)) fs.rmSync(name, { recursive: true });
    const fetched = await timed(() => fetchAll(source, paths));
    let peak = 0;
    const pulled = await timed(async () => {
      ({ peak } = await pull());
    });
    rounds.push({ fetched, pulled, peak });
  }
  const of = (figure: "fetched" | "pulled" | "peak") => median(rounds.map((round) => round[figure]));
  return table(
    [`pull of ${many(paths.length)} answers`, "measured", "target"],
    [
      ["seconds to fetch these URLs, four at once", short(of("fetched") / 1000), ""],
      ["seconds of pull", short(of("pulled") / 1000), ""],
      ["relative to fetching", (of("pulled") / of("fetched")).toFixed(2), "3.00"],
      ["most memory, MB", megabytes(of("peak")), ""],
    ],
  );
}

/** What was asked for, from the first lines of what is kept. */
const pathsIn = (folder: string): string[] =>
  fs
    .globSync(`${folder}/*.answer`)
    .map((name) => JSON.parse(fs.readFileSync(name, "utf8").split("\n", 1)[0]!).path);

async function fetchAll({ url, token }: Source, paths: readonly string[]) {
  const rest = paths.values();
  const work = async () => {
    for (const one of rest)
      await (await fetch(`${url}${one}`, { headers: { authorization: token } })).bytes();
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
}
