import type { Command } from "./command.ts";

const TIMEOUT_MS = 3000;

export const health: Command = {
  name: "health",
  summary: "Ask a server whether it is ready; for containers and scripts",
  usage: "[URL]",
  args: [0, 1],
  example: "health http://127.0.0.1:4242",
  settings: ["host", "port"],
  async run({ args, config, print }) {
    const url =
      args[0] ?? `http://${config.host.includes(":") ? `[${config.host}]` : config.host}:${config.port}`;
    const response = await fetch(`${url.replace(/\/$/, "")}/ready`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    }).catch((error: Error) => error);
    if (response instanceof Error) throw new Error(`${url} does not answer`);
    if (!response.ok) throw new Error(`${url} is not ready: it answers ${response.status}`);
    print("ready");
  },
};
