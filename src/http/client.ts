import type { IncomingMessage } from "node:http";
import net from "node:net";

/**
 * The address of who asks. Behind a trusted proxy it is the last one of `X-Forwarded-For`: that one the proxy has
 * written, those before it anybody can have.
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
  // Whatever the types say, a request whose body was cut off may have no socket any more.
  return net.isIP(last) ? last : socket?.remoteAddress;
}
