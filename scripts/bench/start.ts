import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import path from "node:path";
import type { Context } from "./context.ts";
import { median, table } from "./figures.ts";

/** One start, to the first response. */
export interface Start {
  /** Milliseconds of CPU time, user and system. */
  cpu: number;
  /** Milliseconds. */
  ms: number;
  /** Private bytes. */
  memory: number;
}

const RUNS = 9;

/** The preload of a checkout, if it starts from its sources. */
const fromSources = (checkout: string) => [
  process.execPath,
  "--import",
  path.join(checkout, "scripts/preload.mjs"),
  path.join(checkout, "src/main.ts"),
];

/** Builds, executables if there are any, and sources, in turn. */
export async function run({ folder, versions, options, print }: Context) {
  const programs = versions.flatMap(({ name, script }) => {
    const checkout = path.resolve(script, "../..");
    const executable = path.join(checkout, `dist/flagstone-${process.platform}-${process.arch}`);
    return [
      { name: `${name}: executable`, command: [executable] },
      { name: `${name}: npm run build`, command: [process.execPath, script] },
      { name: `${name}: npm start`, command: fromSources(checkout) },
    ].filter(({ command: [first = ""] }) => fs.existsSync(first));
  });
  const all = await startInTurn(
    programs.map(({ command }) => command),
    folder,
    RUNS * Number(options.rounds),
  );
  const rows = all.map((starts, index) => [
    programs[index]!.name,
    ...(["cpu", "ms", "memory"] as const).map((figure) =>
      (median(starts.map((start) => start[figure])) / (figure === "memory" ? 1e6 : 1)).toFixed(0),
    ),
  ]);
  print(table(["start", "CPU ms", "ms", "private MB"], rows));
}

/** Starts each command on an existing data file of its own, in turn. @param folder for these */
export async function startInTurn(commands: ReadonlyArray<readonly string[]>, folder: string, runs = RUNS) {
  const starts: Start[][] = commands.map(() => []);
  for (let run = 0; run <= runs; run++) {
    for (const [index, command] of commands.entries()) {
      const one = await start([...command, "--data", path.join(folder, `start-${index}.db`)]);
      if (run > 0) starts[index]!.push(one); // the first creates the file
    }
  }
  return starts;
}

async function start([program = "", ...args]: readonly string[]): Promise<Start> {
  const begin = performance.now();
  const child = spawn(program, [...args, "--port", "0", "--quiet"], {
    env: {},
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  for await (const text of child.stdout) {
    output += text;
    if (/URL: .*\n/.test(output)) break;
  }
  await (await fetch(`${/URL: +(\S+)/.exec(output)![1]}/ready`)).text();
  const ms = performance.now() - begin;
  const used = usedOf(child.pid!);
  child.kill("SIGTERM");
  if (child.exitCode === null) await once(child, "exit");
  return { ms, ...used };
}

/** What a process has used since it began; known on Linux only. */
function usedOf(pid: number): Pick<Start, "cpu" | "memory"> {
  if (!fs.existsSync("/proc/self/stat")) return { cpu: Number.NaN, memory: Number.NaN };
  const read = (name: string) => fs.readFileSync(`/proc/${pid}/${name}`, "utf8");
  const [user, system] = read("stat").split(") ")[1]!.split(" ").slice(11, 13).map(Number) as [
    number,
    number,
  ];
  return {
    cpu: (user + system) * 10, // in ticks
    memory: Number(/RssAnon:\s+(\d+)/.exec(read("status"))?.[1]) * 1024,
  };
}
