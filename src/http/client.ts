import type { IncomingMessage } from "node:http";
import net, { type Socket } from "node:net";

/**
 * The address of who asks. Behind a trusted proxy it is the last one of `X-Forwarded-For`: that one the proxy has
 * written, those before it anybody can have. Undefined where the connection is let go of: a body that is refused
 * while it comes takes the socket from its request.
 */
export function clientAddress(
  { headers, socket }: IncomingMessage,
  trustsProxy: boolean,
): string | undefined {
  const forwarded = trustsProxy ? headers["x-forwarded-for"] : undefined;
  const last = String(forwarded ?? "")
    .split(",")
    .at(-1)!
    .trim();
  return net.isIP(last) ? last : (socket as Socket | null)?.remoteAddress;
}
