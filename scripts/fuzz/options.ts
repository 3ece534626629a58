import crypto from "node:crypto";
import { parseArgs } from "node:util";

export const HELP = `npm run fuzz -- [OPTIONS]

  --seed N           the same number gives the same cases (a random one, which is printed)
  --seconds N        how long to go on (60)
  --requests N       how many cases to try at the most
  --executable FILE  what to try (dist/flagstone-<this machine's>, which is built where it is missing or older
                     than the sources)
  --json             print the result as JSON
  --help

Exit code 0 if nothing was found, 1 if something was, 2 for options that can't be meant.
`;

/** What was asked for on the command line. @throws Error for what can't be meant */
export function readOptions() {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(crypto.randomInt(2 ** 24)) },
      seconds: { type: "string", default: "60" },
      requests: { type: "string", default: "1000000" },
      executable: { type: "string" },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const number = (name: "seed" | "seconds" | "requests") => {
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name}: must be a whole number`);
    return Number(values[name]);
  };
  return { ...values, seed: number("seed"), seconds: number("seconds"), requests: number("requests") };
}

export type Options = ReturnType<typeof readOptions>;
