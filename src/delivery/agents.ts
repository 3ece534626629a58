import http from "node:http";
import https from "node:https";
import type { Guard } from "./guard.ts";
import type { Agents } from "./post.ts";

interface Options {
  guard: Guard;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read. */
  env: Readonly<Record<string, string | undefined>>;
  /** Certificates, in PEM, of authorities that are trusted beside those that everyone does. */
  ca: readonly string[] | undefined;
}

/** Connections that are kept for the next delivery to the same receiver. */
export function createAgents({ guard: { lookup }, env, ca }: Options): Agents {
  const proxyEnv = Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map((name) => [name, env[name] ?? env[name.toLowerCase()]]),
  );
  const common = { keepAlive: true, maxFreeSockets: 16, lookup, proxyEnv, timeout: 60_000 };
  const agent = (options: object) => options as http.AgentOptions & https.AgentOptions;
  return {
    "http:": new http.Agent(agent(common)),
    "https:": new https.Agent(agent({ ...common, ...(ca && { ca }) })),
  };
}

/** The hosts of the proxies, to which the operator wants connections to go. */
export const proxiesIn = (env: Options["env"]): string[] =>
  ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].flatMap(
    (name) => URL.parse(env[name] ?? "")?.hostname || [],
  );
