import { type Listener, listen } from "listhen";
import { run } from "../src/cli/run.ts";
import { PortInUseError } from "../src/http/node-server.ts";

/*
 * The demo with listhen in place of the server's own way to listen. docs/choices.md says why that is for development.
 */

const { stdin, stdout, stderr, env, pid } = process;
const given = process.argv.slice(2);
const isHttps = given.includes("--https");
const argv = ["demo", ...given.filter((option) => option !== "--https")];
let listener: Listener | undefined;
let isPublic = false;

process.exitCode = await run({
  argv,
  stdin,
  stdout,
  stderr,
  env,
  pid,
  once: process.once.bind(process),
  /** As a QR code, for phones that can reach it. */
  showLink(publicURL) {
    if (isPublic) listener?.showURL({ publicURL, qr: true });
  },
  async listen(handle, { host, port }) {
    isPublic = host === "0.0.0.0" || host === "::";
    // Everything explicit: its defaults read variables and arguments, and would choose another port if this is in use.
    listener = await listen(handle, {
      hostname: host,
      port: port === 0 ? { random: true } : port,
      public: isPublic,
      https: isHttps,
      isProd: true,
      isTest: false,
      autoClose: false,
      showURL: false,
      extraURLs: [],
    }).catch((error: Error) => {
      throw error.name === "GetPortError"
        ? new PortInUseError(`Port ${port} is in use: choose another`)
        : error;
    });
    const { server } = listener;
    // It marks a request's socket as idle after it may have lost it, which would end the process.
    for (const extra of server.listeners("request").slice(1)) server.off("request", extra as () => void);
    const urls = await listener.getURLs();
    const { url } = urls.find(({ type }) => type === "network") ?? urls[0]!;
    return {
      url: url.replace(/\/$/, ""),
      async close() {
        const closed = new Promise((resolve) => server.close(resolve));
        server.closeAllConnections();
        await closed;
      },
    };
  },
});
