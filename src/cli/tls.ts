import fs from "node:fs";
import { createSecureContext } from "node:tls";
import type { Tls } from "../http/listen.ts";
import { UsageError } from "../lib/usage-error.ts";
import type { Config } from "./config.ts";

/**
 * The certificate and key in the settings; undefined for plain HTTP.
 * @throws UsageError if one is missing or can't be read, or they don't match
 */
export function readTls({ "tls-cert": cert, "tls-key": key }: Config): Tls | undefined {
  if (cert === "" && key === "") return undefined;
  if (cert === "" || key === "") throw new UsageError("--tls-cert and --tls-key go together: give both");
  const tls = { cert: readPem("--tls-cert", cert), key: readPem("--tls-key", key) };
  try {
    createSecureContext(tls);
  } catch {
    throw new UsageError(
      `--tls-cert and --tls-key: ${cert} and ${key} are not a certificate and its key in PEM`,
    );
  }
  return tls;
}

/** @throws UsageError naming the flag and the file. */
export function readPem(flag: string, file: string) {
  try {
    return fs.readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`${flag}: the file ${file} can't be read`);
  }
}
