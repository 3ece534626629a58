import { UsageError } from "../lib/usage-error.ts";

/*
 * In `npm start COMMAND --option`, npm takes the option as its own; it has to be `npm start -- COMMAND --option`. npm
 * passes such options in variables `npm_config_…`. Only a checkout checks for them, not the executable.
 */

interface Named {
  name: string;
}

/** Options that npm has as well, which may come from its configuration. */
const SETTINGS_OF_NPM = ["ca", "email"];

/** @throws UsageError if npm took an option meant for the command */
export function rejectOptionsTakenByNpm(env: NodeJS.ProcessEnv, { name }: Named, options: string[]) {
  if (!isRunByNpm(env)) return;
  const taken = options
    .filter((option) => !SETTINGS_OF_NPM.includes(option))
    .filter((option) => env[`npm_config_${option.replaceAll("-", "_")}`])
    .map((option) => `--${option}`);
  if (taken.length > 0)
    throw new UsageError(
      `npm took ${taken.join(" and ")} as its own: run ${npmCommand(env, name, ...taken)} …`,
    );
}

/** A possible reason for an unexpected argument, to append to a message. */
export const npmHint = (env: NodeJS.ProcessEnv, { name }: Named) =>
  isRunByNpm(env) ? `; npm takes options as its own unless they follow --: ${npmCommand(env, name)} …` : "";

const isRunByNpm = ({ npm_lifecycle_script: script }: NodeJS.ProcessEnv) =>
  / src\/main\.ts\b/.test(script ?? "");

/** The script may have the name of the command. */
const npmCommand = (
  { npm_lifecycle_event: script }: NodeJS.ProcessEnv,
  command: string,
  ...taken: string[]
) =>
  [
    script === "start" ? "npm start --" : `npm run ${script} --`,
    ...(command === script ? [] : [command]),
    ...taken,
  ].join(" ");
