import net from "node:net";
import { getRequestIP, type H3Event } from "h3";

/**
 * The address of who asks. Behind a trusted proxy it is the last one of `X-Forwarded-For`: that one the proxy has
 * written, those before it anybody can have.
 */
export function clientAddress(event: H3Event, trustsProxy: boolean): string | undefined {
  const forwarded = trustsProxy ? event.req.headers.get("x-forwarded-for") : null;
  const last = (forwarded ?? "").split(",").at(-1)!.trim();
  return net.isIP(last) ? last : getRequestIP(event);
}
