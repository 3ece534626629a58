import fs from "node:fs";
import path from "node:path";
import type { Context } from "./context.ts";
import { many, median, megabytes, short, table } from "./figures.ts";
import { runProbed } from "./process.ts";
import { companyOf } from "./version.ts";

/** The same content in both formats, and how each is imported. */
const FORMATS: ReadonlyArray<[name: string, write: readonly string[], read: readonly string[]]> = [
  ["dataset", [], []],
  ["dump", ["--as", "unleash"], ["--from-unleash"]],
];

/** How long the import of an Unleash's dump takes, beside that of a dataset with the same content. */
export async function run(context: Context) {
  const { folder, options, progress, print, versions } = context;
  const { script } = versions[0]!;
  const { file } = await companyOf(context, versions[0]!);
  const nameOf = (name: string) => path.join(folder, `same.${name}`);
  for (const [name, write] of FORMATS)
    await runProbed([script, "export", ...write, "--with-secrets", nameOf(name), "--data", file, "--quiet"]);
  const rounds: Array<Record<string, { seconds: number; peak: number }>> = [];
  for (let round = 1; round <= Number(options.rounds); round++) {
    const figures: (typeof rounds)[number] = {};
    for (const [name, , read] of FORMATS) {
      progress(`importing the ${name}, round ${round}`);
      const data = path.join(folder, `${name}-${round}.db`);
      const begin = performance.now();
      const { peak } = await runProbed([script, "import", ...read, nameOf(name), "--data", data, "--quiet"]);
      figures[name] = { seconds: (performance.now() - begin) / 1000, peak };
      for (const left of fs.globSync(`${data}*`)) fs.rmSync(left);
    }
    rounds.push(figures);
  }
  const of = (name: string, figure: "seconds" | "peak") => median(rounds.map((one) => one[name]![figure]));
  print(
    table(
      [`import of ${many(Number(options.events))} events`, "measured", "target"],
      [
        ["seconds, as a dataset", short(of("dataset", "seconds")), ""],
        ["seconds, as a dump of an Unleash", short(of("dump", "seconds")), ""],
        ["relative to the dataset", (of("dump", "seconds") / of("dataset", "seconds")).toFixed(2), "1.50"],
        ["most memory of the dataset, MB", megabytes(of("dataset", "peak")), ""],
        ["most memory of the dump, MB", megabytes(of("dump", "peak")), "150"],
      ],
    ),
  );
}
