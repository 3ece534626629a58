import type { Log } from "../log.ts";
import { clientAddress } from "./client.ts";
import type { Listener } from "./listener.ts";
import { pathOf, withoutSecrets } from "./path.ts";

/** A line for each request when its answer is out, or its client has gone before. Queries are not told. */
export const withAccessLog =
  (log: Log, trustsProxy: boolean, listener: Listener): Listener =>
  (request, response) => {
    const begin = performance.now();
    const address = clientAddress(request, trustsProxy); // a socket that is closed has none
    response.once("close", () =>
      log({
        level: "info",
        message: response.writableFinished ? "request" : "request without its answer",
        method: request.method,
        path: withoutSecrets(pathOf(request)),
        status: response.statusCode,
        ms: Math.round((performance.now() - begin) * 10) / 10,
        address,
      }),
    );
    return listener(request, response);
  };
