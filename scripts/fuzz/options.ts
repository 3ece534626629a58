import crypto from "node:crypto";
import { parseArgs } from "node:util";

export const HELP = `npm run fuzz -- [OPTIONS]

  --seed N           reproduces the same cases (default: random, and printed)
  --seconds N        duration (60)
  --requests N       maximum number of cases
  --executable FILE  the executable to test (dist/flagstone-<this machine's>, built if it is missing or older than
                     the sources)
  --json             print the result as JSON
  --help

Exit code 0 if nothing was found, 1 if something was, 2 for invalid options.
`;

/** Parses the command line. @throws Error for invalid options */
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
