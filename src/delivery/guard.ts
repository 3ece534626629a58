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

/** Keeps deliveries away from the private network: whoever configures an integration may not be trusted with it. */
export function createGuard({ allowed, proxies = [], resolve = dns.lookup }: Options): Guard {
  const mayBePrivate = (host: string, port: string) =>
    allowed.some((one) => one === "*" || one === host || one === `${host}:${port}` || isWithin(host, one));
  return {
    requireTarget(url) {
      const host = bare(url.hostname);
      if (mayBePrivate(host, portOf(url))) return;
      if (net.isIP(host) ? !isPublic(host) : isLocalName(host)) throw refused(host);
    },
    lookupFor: (url) => (hostname, options, callback) => {
      const port = portOf(url);
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, []);
        const addresses = found as unknown as LookupAddress[];
        const isFree = proxies.includes(hostname) || mayBePrivate(bare(hostname), port);
        const hidden = addresses.find(
          ({ address }) => !isFree && !mayBePrivate(address, port) && !isPublic(address),
        );
        if (hidden) return callback(refused(hostname, hidden.address), []);
        if (options.all) return callback(null, addresses);
        callback(null, addresses[0]!.address, addresses[0]!.family);
      });
    },
  };
}

const portOf = ({ port, protocol }: URL) => port || (protocol === "https:" ? "443" : "80");

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

const isLocalName = (host: string) => /(^|\.)(localhost|local|internal)$/i.test(host);

/** Also checks IPv4 addresses embedded in IPv6 ones. */
function isPublic(address: string) {
  const parsed = ipaddr.process(address.replace(/%.*$/, ""));
  return parsed.range() === "unicast";
}

function isWithin(host: string, block: string) {
  if (!block.includes("/") || !net.isIP(host) || !ipaddr.isValidCIDR(block)) return false;
  const [address, [network, bits]] = [ipaddr.process(host), ipaddr.parseCIDR(block)];
  return address.kind() === network.kind() && address.match(network, bits);
}

const refused = (host: string, address = host) =>
  new TargetError(
    `${host === address ? address : `${host} (${address})`} is private or this machine: ` +
      `--allow-private-targets ${host} allows it`,
  );
