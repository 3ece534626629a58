import type { IncomingMessage } from "node:http";
import { BODY_LIMIT } from "./body.ts";
import type { Listener } from "./listener.ts";

/**
 * If the response is ready before the whole body has arrived, the rest is read so that the connection can be reused,
 * but never more than the size limit for bodies.
 */
export const withBodyLimit =
  (listener: Listener): Listener =>
  (request, response) => {
    const { headers } = request;
    const hasBody = (headers["content-length"] ?? headers["transfer-encoding"]) !== undefined;
    // Before "finish", when Node itself starts discarding whatever arrives.
    if (hasBody) response.once("prefinish", () => request.complete || discardUpToLimit(request));
    return listener(request, response);
  };

function discardUpToLimit(request: IncomingMessage) {
  let left = BODY_LIMIT;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
}
