import dns, { type LookupAddress } from "node:dns";
import net, { type LookupFunction } from "node:net";
import ipaddr from "ipaddr.js";

/** What an operator has not allowed to be connected to. */
export class TargetError extends Error {
  readonly code = "TARGET_NOT_ALLOWED";
}

export interface Guard {
  /** @throws TargetError for an address that is not public, where it stands in the URL itself */
  requireTarget(url: URL): void;
  /** Looks a name up; the addresses that were checked are those that are connected to. */
  lookup: LookupFunction;
}

interface Options {
  /** Hosts that may be private: names, addresses, `host:port`, or blocks such as 10.0.0.0/8. `*` for all. */
  allowed: readonly string[];
  /** The host of a proxy, to which the operator wants connections to go. */
  proxies?: readonly string[];
  /** Looks up, as `dns.lookup` does. */
  resolve?: typeof dns.lookup;
}

/** Keeps deliveries from what is behind the firewall with this server: whoever may set one up need not be trusted so far. */
export function createGuard({ allowed, proxies = [], resolve = dns.lookup }: Options): Guard {
  const mayBePrivate = (host: string, port?: string) =>
    allowed.some((one) => one === "*" || one === host || one === `${host}:${port}` || isWithin(host, one));
  return {
    requireTarget({ hostname, port, protocol }) {
      const host = bare(hostname);
      if (mayBePrivate(host, port || (protocol === "https:" ? "443" : "80"))) return;
      if (net.isIP(host) ? !isPublic(host) : isLocalName(host)) throw refused(host);
    },
    lookup(hostname, options, callback) {
      resolve(hostname, { ...options, all: true }, (error, found) => {
        if (error) return callback(error, []);
        const addresses = found as unknown as LookupAddress[];
        const isFree = proxies.includes(hostname) || mayBePrivate(hostname);
        const hidden = addresses.find(
          ({ address }) => !isFree && !mayBePrivate(address) && !isPublic(address),
        );
        if (hidden) return callback(refused(hostname, hidden.address), []);
        if (options.all) return callback(null, addresses);
        callback(null, addresses[0]!.address, addresses[0]!.family);
      });
    },
  };
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

const isLocalName = (host: string) => /(^|\.)(localhost|local|internal)$/i.test(host);

/** Also of an IPv4 address within an IPv6 one. */
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
