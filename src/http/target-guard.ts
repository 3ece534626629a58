import dns, { type LookupAddress } from "node:dns";
import net, { type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** A target that the operator has not allowed. */
export class TargetError extends Error {
  readonly code = "TARGET_NOT_ALLOWED";
}

export interface Guard {
  /** @throws TargetError for a private address in the URL itself */
  requireTarget(url: URL): void;
  /** Resolves the name of this URL; connections are made to exactly the addresses that were checked. */
  lookupFor(url: URL): LookupFunction;
}

interface Options {
  /** Private hosts that are allowed: names, addresses, `host:port`, or ranges such as 10.0.0.0/8. `*` for all. */
  allowed: readonly string[];
  /** The hosts of proxies, which the operator has chosen to connect to. */
  proxies?: readonly string[];
  /** Resolves names like `dns.lookup`. */
  resolve?: typeof dns.lookup;
}

/** Keeps deliveries out of the private network, with which users who configure integrations may not be trusted. */
export function createGuard({ allowed, proxies = [], resolve = dns.lookup }: Options): Guard {
  const mayBePrivate = (host: string, port: string) =>
    allowed.some(
      (entry) => entry === "*" || entry === host || entry === `${host}:${port}` || isWithin(host, entry),
    );
  return {
    requireTarget(url) {
      const host = normalizeHost(url.hostname);
      if (mayBePrivate(host, portOf(url))) return;
      if (net.isIP(host) ? !isPublic(host) : isLocalName(host)) throw notAllowed(host);
    },
    lookupFor: (url) => (hostname, options, callback) => {
      const port = portOf(url);
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, []);
        const addresses = found as unknown as LookupAddress[];
        const isExempt = proxies.includes(hostname) || mayBePrivate(normalizeHost(hostname), port);
        const forbidden = addresses.find(
          ({ address }) => !isExempt && !mayBePrivate(address, port) && !isPublic(address),
        );
        if (forbidden) return callback(notAllowed(hostname, forbidden.address), []);
        if (options.all) return callback(null, addresses);
        callback(null, addresses[0]!.address, addresses[0]!.family);
      });
    },
  };
}

const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");

const normalizeHost = (hostname: string) => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

const isLocalName = (host: string) => /(^|\.)(localhost|local|internal)$/i.test(host);

/** Of IPv6, the Internet routes only 2000::/3; addresses elsewhere may contain an IPv4 address, as ::127.0.0.1 does. */
function isPublic(address: string) {
  const host = address.replace(/%.*$/, "");
  const parsed = ipaddr.process(host);
  return parsed.range() === "unicast" && (parsed.kind() === "ipv4" || isWithin(host, "2000::/3"));
}

function isWithin(host: string, block: string) {
  if (!block.includes("/") || !net.isIP(host) || !ipaddr.isValidCIDR(block)) return false;
  const [address, [network, bits]] = [ipaddr.process(host), ipaddr.parseCIDR(block)];
  return address.kind() === network.kind() && address.match(network, bits);
}

const notAllowed = (host: string, address = host) =>
  new TargetError(
    `${host === address ? address : `${host} (${address})`} is private or this machine: ` +
      `allow it with --allow-private-targets ${host}`,
  );
