import net from "node:net";
import type { Database } from "../db/database.ts";
import { UsageError } from "../lib/usage-error.ts";
import { rootRoleNamed, rootRoles } from "../people/roles.ts";
import type { SigningProxy } from "../sign-in/options.ts";
import type { Config } from "./config.ts";

export const AUTH_PROXY = [
  "auth-proxy-user",
  "auth-proxy-from",
  "auth-proxy-email",
  "auth-proxy-name",
  "auth-proxy-groups",
  "auth-proxy-groups-separator",
  "auth-proxy-create",
  "auth-proxy-logout",
] as const;

/** The proxy that signs people in, if there is one. @throws UsageError for settings that don't go together */
export function authProxyOf(config: Config, db: Database): SigningProxy | undefined {
  const { "auth-proxy-user": user, "auth-proxy-from": from, "auth-proxy-create": role } = config;
  if (user === "") {
    const others = AUTH_PROXY.filter((name) => name !== "auth-proxy-groups-separator"); // which has a default
    const alone = others.find((name) => config[name].length > 0);
    if (alone) throw new UsageError(`--${alone} needs --auth-proxy-user`);
    return undefined;
  }
  if (from.length === 0)
    throw new UsageError("--auth-proxy-user: nobody is trusted to send it: give --auth-proxy-from");
  return {
    from: networks(from),
    headers: {
      user,
      email: config["auth-proxy-email"] || undefined,
      name: config["auth-proxy-name"] || undefined,
      groups: config["auth-proxy-groups"] || undefined,
    },
    separator: config["auth-proxy-groups-separator"],
    role:
      role === "" ? undefined : (rootRoleNamed(db, role) ?? unknownRole(db, "auth-proxy-create", role)).name,
    logout: config["auth-proxy-logout"] || undefined,
  };
}

/** @throws UsageError that says which root roles an option may name */
export function unknownRole(db: Database, option: string, name: string): never {
  const names = rootRoles(db).map((one) => one.name);
  throw new UsageError(`--${option}: ${name} must be one of ${names.join(", ")}`);
}

/** A bare address is that one alone. Ranges of IPv6 may have all of IPv4 in them, such as ::ffff:10.0.0.0/8. */
function networks(texts: readonly string[]): net.BlockList {
  const list = new net.BlockList();
  for (const text of texts) {
    const [address = "", bits] = text.split("/");
    const family = net.isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  if (list.check("0.0.0.0") && list.check("255.255.255.255"))
    throw new UsageError("--auth-proxy-from: must not be everybody");
  return list;
}
