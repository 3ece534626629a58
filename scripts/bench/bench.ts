import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { CASES } from "./cases.ts";
import { type Context, OPTIONS, type Options } from "./context.ts";
import { versionIn } from "./version.ts";

/*
 * `npm run bench -- CASE…` measures this checkout, built, beside a bare server or another checkout, on the same machine
 * and in the same run. Absolute times on a shared machine say little; look at the ratios.
 */

const HELP = `npm run bench -- [CASE…] [OPTIONS]

${CASES.map(({ name, summary }) => `  ${name.padEnd(12)}${summary}`).join("\n")}

Without a CASE: reads and changes. Options, with what they are by default:

${Object.entries(OPTIONS)
  .map(
    ([name, { hint, default: value, help }]) =>
      `  ${`--${name} ${hint}`.padEnd(20)}${help}${value && ` (${value})`}`,
  )
  .join("\n")}
`;

/** @throws Error for an unknown case or option */
function readArguments() {
  const { values, positionals } = parseArgs({
    options: { ...OPTIONS, help: { type: "boolean" } },
    allowPositionals: true,
  });
  const names = positionals.length > 0 ? positionals : ["reads", "changes"];
  const unknown = names.filter((name) => !CASES.some((one) => one.name === name));
  if (unknown.length > 0) throw new Error(`Unknown case ${unknown.join(", ")}; see --help`);
  return { names, values: values as Options & { help?: boolean } };
}

async function bench(names: readonly string[], options: Options) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "flagstone-bench-"));
  const root = path.resolve(import.meta.dirname, "../..");
  const versions = [
    versionIn(root, "here"),
    ...(options.beside ? [versionIn(options.beside, "beside")] : []),
  ];
  const context: Context = { folder, options, versions, imported: new Map(), progress, print };
  const [cpu] = os.cpus();
  print(
    `${os.cpus().length} × ${cpu!.model}, ${Math.round(os.totalmem() / 2 ** 30)} GB; Node ${process.version}`,
  );
  try {
    for (const name of names) {
      const { run } = await CASES.find((one) => one.name === name)!.load();
      print(`\n## ${name}\n`);
      await run(context);
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function progress(text: string) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
}

function print(text: string) {
  progress("");
  process.stdout.write(`${text}\n`);
}

try {
  const { names, values } = readArguments();
  if (values.help) process.stdout.write(HELP);
  else await bench(names, values);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  process.exitCode = 1;
}
process.exit(); // servers may still be running
