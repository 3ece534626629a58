import type { Log } from "../lib/logger.ts";
import { clientAddress } from "./client.ts";
import type { Listener } from "./listener.ts";
import { maskSecrets, pathOf } from "./path.ts";

/** Logs each request once it has been answered or its client has disconnected. Query strings are left out. */
export const withAccessLog =
  (log: Log, trustsProxy: boolean, listener: Listener): Listener =>
  (request, response) => {
    const begin = performance.now();
    const address = clientAddress(request, trustsProxy); // a closed socket has none
    response.once("close", () =>
      log({
        level: "info",
        message: response.writableFinished ? "request" : "request aborted",
        method: request.method,
        path: maskSecrets(pathOf(request)),
        status: response.statusCode,
        ms: Math.round((performance.now() - begin) * 10) / 10,
        address,
      }),
    );
    return listener(request, response);
  };
