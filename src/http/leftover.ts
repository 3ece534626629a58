import type { IncomingMessage } from "node:http";
import { BODY_LIMIT } from "./body.ts";
import type { Listener } from "./listener.ts";

/**
 * A body that is still on its way when its answer is made is read to its end, so that the connection can be used
 * again; but no further than any body is read.
 */
export const cutLeftovers =
  (listener: Listener): Listener =>
  (request, response) => {
    const { headers } = request;
    const hasBody = (headers["content-length"] ?? headers["transfer-encoding"]) !== undefined;
    // Before "finish", at which Node itself begins to pass over all that comes.
    if (hasBody) response.once("prefinish", () => request.complete || cutBeyondLimit(request));
    return listener(request, response);
  };

function cutBeyondLimit(request: IncomingMessage) {
  let left = BODY_LIMIT;
  request.on("data", (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) request.socket.destroy();
  });
}
