import assert from "node:assert/strict";
import { test } from "node:test";
import { AUTH_PROXY, authProxyOf } from "../../src/cli/auth-proxy.ts";
import { readConfig } from "../../src/cli/config.ts";
import { openServer } from "../support/server.ts";

const REFUSED: ReadonlyArray<[name: string, flags: Record<string, string>, expected: RegExp]> = [
  ["nobody to trust", {}, /give --auth-proxy-from/],
  ["everybody", { from: "0.0.0.0/0" }, /not be everybody/],
  ["everybody with IPv6", { from: "10.0.0.1,::/0" }, /not be everybody/],
  ["everybody with IPv4 by a range of IPv6", { from: "::ffff:10.0.0.0/8" }, /not be everybody/],
  ["a star", { from: "*" }, /addresses or ranges/],
  ["a host name", { from: "proxy.example" }, /addresses or ranges/],
  ["too many bits", { from: "10.0.0.1/33" }, /addresses or ranges/],
  ["a header with underscores", { user: "Remote_User", from: "::1" }, /letters, digits and dashes/],
  ["the header of tokens", { user: "Authorization", from: "::1" }, /a header of its own/],
  ["two separators", { from: "::1", "groups-separator": ",|" }, /must be one character/],
  ["a letter that separates", { from: "::1", "groups-separator": "a" }, /must be one character/],
  ["an unknown role", { from: "::1", create: "Boss" }, /must be one of Admin, Editor, Viewer/],
  ["a sign-out by script", { from: "::1", logout: "javascript:alert(1)" }, /must be a URL/],
  ["a sign-out on another host by a path", { from: "::1", logout: "//evil.example" }, /must be a URL/],
  ["settings without the header", { user: "", from: "::1" }, /--auth-proxy-from needs --auth-proxy-user/],
];

const configured = (flags: Record<string, string>) =>
  readConfig(
    AUTH_PROXY,
    Object.fromEntries(Object.entries(flags).map(([name, value]) => [`auth-proxy-${name}`, value])),
    {},
  );

for (const [name, flags, expected] of REFUSED)
  test(`a trusted header is refused for ${name}`, async (t) => {
    const { db } = await openServer(t);
    assert.throws(() => authProxyOf(configured({ user: "Remote-User", ...flags }), db), expected);
  });

test("a bare address is trusted alone, a range as it is; without settings, nobody is", async (t) => {
  const { db } = await openServer(t);
  const { from, headers, role } = authProxyOf(
    configured({ user: "Remote-User", from: "2001:db8::1, 10.1.0.0/16", create: "Viewer" }),
    db,
  )!;
  assert.deepEqual([headers.user, role], ["remote-user", "Viewer"]);
  assert.deepEqual([from.check("2001:db8::1", "ipv6"), from.check("2001:db8::2", "ipv6")], [true, false]);
  assert.deepEqual(
    [from.check("10.1.2.3"), from.check("::ffff:10.1.2.3", "ipv6"), from.check("10.2.0.1")],
    [true, true, false],
  );
  assert.equal(authProxyOf(configured({}), db), undefined);
});
