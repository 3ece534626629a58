import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { type BlockList, isIPv6, type Socket } from "node:net";
import { invalid } from "../lib/api-error.ts";

/** A proxy in front that knows who sends a request, and says so in headers. */
export interface AuthProxy {
  /** The peers that are believed; nobody else. */
  from: BlockList;
  /** The names of the headers, in lower case. */
  headers: {
    user: string;
    email?: string | undefined;
    name?: string | undefined;
    groups?: string | undefined;
  };
  /** What is between the names of groups: a character. */
  separator: string;
}

/** What the proxy says of a person. */
export interface Told {
  user: string;
  email: string | undefined;
  name: string | undefined;
  /** Undefined if no header is configured for them. */
  groups: string[] | undefined;
}

/**
 * What a trusted proxy says; undefined if the peer of the connection is not one, whatever `X-Forwarded-For` says, or if it
 * names nobody.
 * @throws ApiError `ValidationError` for a value that is not UTF-8
 */
export function toldBy(proxy: AuthProxy | undefined, request: IncomingMessage | undefined): Told | undefined {
  if (!proxy || !request || !isTrusted(proxy.from, request.socket)) return undefined;
  const { user: userHeader, email, name, groups } = proxy.headers;
  const user = read(request, userHeader);
  if (user === undefined) return undefined;
  return {
    user,
    email: read(request, email),
    name: read(request, name),
    groups: groups === undefined ? undefined : listed(read(request, groups), proxy.separator),
  };
}

/** A request that has lost its socket has no peer. IPv4 in the form of IPv6 is recognized. */
function isTrusted(from: BlockList, socket: Socket | null) {
  const [address = ""] = (socket?.remoteAddress ?? "").split("%");
  return address !== "" && from.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The value of exactly this header; Node reads it as Latin-1. Spaces of other kinds would make two names the same. */
function read({ headers }: IncomingMessage, name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  const bytes = Buffer.from(String(headers[name] ?? ""), "latin1");
  const text = bytes.toString();
  if (text.trim() === "") return undefined;
  if (isUtf8(bytes) && text === text.trim()) return text;
  throw invalid({ path: `headers.${name}`, message: "must be UTF-8, with no spaces around it" });
}

/** Only plain spaces are left out, as at the ends of a header: others are part of a name. */
const listed = (text: string | undefined, separator: string) =>
  (text ?? "")
    .split(separator)
    .map((group) => group.replace(/^ +| +$/g, ""))
    .filter((group) => group !== "");
