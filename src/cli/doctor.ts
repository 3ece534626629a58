import { checkFile } from "../db/check.ts";
import { DataError } from "../db/error.ts";
import { type Command, JSON_OPTION } from "./command.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Look for anything wrong with the data file, without changing it",
  example: "doctor --data flags.db",
  settings: ["data"],
  options: JSON_OPTION,
  run({ config, options, print }) {
    const findings = checkFile(config.data);
    if (options.json) print(JSON.stringify(findings));
    else for (const { name, problem } of findings) print(problem ? `WRONG  ${name}` : `ok     ${name}`);
    const wrong = findings.find(({ problem }) => problem !== undefined);
    if (wrong) throw new DataError(`${wrong.name}: ${wrong.problem}`);
  },
};
