import { UsageError } from "../config.ts";

/*
 * `npm start COMMAND --option` keeps the option for npm itself; it has to be `npm start -- COMMAND --option`. What npm
 * kept, it tells the program by a variable `npm_config_…`. The executable knows nothing of npm, whoever runs it.
 */

interface Named {
  name: string;
}

/** Options of ours that are npm's own too, and may stand in its settings. */
const SETTINGS_OF_NPM = ["ca", "email"];

/** @throws UsageError if npm kept an option of the command that was meant for us. */
export function requireNothingKept(env: NodeJS.ProcessEnv, { name }: Named, options: string[]) {
  if (!isRunByNpm(env)) return;
  const kept = options
    .filter((option) => !SETTINGS_OF_NPM.includes(option))
    .filter((option) => env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`);
  if (kept.length > 0)
    throw new UsageError(`npm kept ${kept.join(" and ")} for itself: write ${line(env, name, ...kept)} …`);
}

/** What may be the reason for an argument too many, as the end of a sentence. */
export const npmHint = (env: NodeJS.ProcessEnv, { name }: Named) =>
  isRunByNpm(env) ? `; npm keeps options for itself unless they follow a --: ${line(env, name)} …` : "";

const isRunByNpm = ({ npm_lifecycle_script: script }: NodeJS.ProcessEnv) =>
  / src\/main\.ts\b/.test(script ?? "");

/** The script may be named after the command. */
const line = ({ npm_lifecycle_event: script }: NodeJS.ProcessEnv, command: string, ...kept: string[]) =>
  [
    script === "start" ? "npm start --" : `npm run ${script} --`,
    ...(command === script ? [] : [command]),
    ...kept,
  ].join(" ");
