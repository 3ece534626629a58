import type { IncomingMessage } from "node:http";
import net, { type Socket } from "node:net";

/**
 * The caller's address. Behind a trusted proxy it is the last entry of `X-Forwarded-For`: the proxy wrote that one, and
 * anybody can forge those before it. Undefined once the request has lost its socket, as when a body is refused while
 * it is still arriving.
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
