import { UsageError } from "../config.ts";

/*
 * In `npm start COMMAND --option`, npm keeps the option for itself; it has to be `npm start -- COMMAND --option`. npm
 * passes what it kept in variables `npm_config_…`. The executable ignores npm, whoever runs it.
 */

interface Named {
  name: string;
}

/** Options that npm has too, and that may come from its configuration. */
const SETTINGS_OF_NPM = ["ca", "email"];

/** @throws UsageError if npm kept an option of the command */
export function requireNothingKept(env: NodeJS.ProcessEnv, { name }: Named, options: string[]) {
  if (!isRunByNpm(env)) return;
  const kept = options
    .filter((option) => !SETTINGS_OF_NPM.includes(option))
    .filter((option) => env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`);
  if (kept.length > 0)
    throw new UsageError(`npm kept ${kept.join(" and ")} for itself: write ${line(env, name, ...kept)} …`);
}

/** A possible reason for an unexpected argument, to end a sentence with. */
export const npmHint = (env: NodeJS.ProcessEnv, { name }: Named) =>
  isRunByNpm(env) ? `; npm keeps options for itself unless they follow a --: ${line(env, name)} …` : "";

const isRunByNpm = ({ npm_lifecycle_script: script }: NodeJS.ProcessEnv) =>
  / src\/main\.ts\b/.test(script ?? "");

/** The script may have the name of the command. */
const line = ({ npm_lifecycle_event: script }: NodeJS.ProcessEnv, command: string, ...kept: string[]) =>
  [
    script === "start" ? "npm start --" : `npm run ${script} --`,
    ...(command === script ? [] : [command]),
    ...kept,
  ].join(" ");
