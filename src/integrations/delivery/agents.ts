import http from "node:http";
import https from "node:https";
import type { Agents } from "./post.ts";

interface Options {
  /** The source of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
  env: Readonly<Record<string, string | undefined>>;
  /** Additional trusted certificate authorities, in PEM. */
  ca: readonly string[] | undefined;
}

/** Agents that keep connections open for the next delivery to the same receiver. */
export function createAgents({ env, ca }: Options): Agents {
  const proxyEnv = Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map((name) => [name, env[name] ?? env[name.toLowerCase()]]),
  );
  const common = { keepAlive: true, maxFreeSockets: 16, proxyEnv, timeout: 60_000 };
  const agent = (options: object) => options as http.AgentOptions & https.AgentOptions;
  return {
    "http:": new http.Agent(agent(common)),
    "https:": new https.Agent(agent({ ...common, ...(ca && { ca }) })),
  };
}

/** The hosts of the proxies, which the operator has chosen to connect to. */
export const proxiesIn = (env: Options["env"]): string[] =>
  ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"].flatMap(
    (name) => URL.parse(env[name] ?? "")?.hostname || [],
  );
