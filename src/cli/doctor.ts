import { checkFile, type Finding } from "../db/check.ts";
import { DataError } from "../db/error.ts";
import { printable } from "../lib/text.ts";
import { command, JSON_OPTION } from "./command.ts";

export const doctor = command({
  name: "doctor",
  summary: "Check the data file for problems, without changing it",
  example: "doctor --data flags.db",
  settings: ["data", "secret-key-file"],
  options: JSON_OPTION,
  run({ config, options, print }) {
    const findings = checkFile(config.data, config["secret-key-file"]);
    const failed = findings.filter(({ problem }) => problem !== undefined);
    if (options.json) print(JSON.stringify({ ok: failed.length === 0, findings }));
    else for (const finding of findings) print(toLine(finding));
    if (failed.length === 0) return;
    const names = failed.map(({ name }) => name).join(", ");
    throw new DataError(`${config.data} has problems: ${names}`);
  },
});

function toLine({ name, problem, warning }: Finding) {
  if (problem !== undefined) return `FAIL   ${name}: ${printable(problem)}`;
  return warning === undefined ? `ok     ${name}` : `WARN   ${name}: ${printable(warning)}`;
}
