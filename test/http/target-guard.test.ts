import assert from "node:assert/strict";
import type { LookupAddress } from "node:dns";
import { test } from "node:test";
import { createGuard } from "../../src/http/target-guard.ts";
import { openDelivering } from "../support/delivering.ts";
import { openReceiver } from "../support/receiver.ts";

const refuses = (url: string, allowed: string[] = []) => {
  try {
    createGuard({ allowed }).requireTarget(new URL(url));
    return false;
  } catch (error) {
    assert.equal((error as { code: string }).code, "TARGET_NOT_ALLOWED");
    return true;
  }
};

for (const host of [
  "127.0.0.1",
  "127.1",
  "0x7f000001",
  "2130706433",
  "0.0.0.0",
  "10.1.2.3",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.168.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::]",
  "[::1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "0177.0.0.1",
  "[::127.0.0.1]",
  "[::a9fe:a9fe]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b:1::7f00:1]",
  "[fec0::1]",
  "[fc00::1]",
  "[fe80::1]",
  "[ff02::1]",
  "localhost",
  "LOCALHOST.",
  "printer.local",
  "metadata.google.internal",
])
  test(`${host} is refused`, () => assert.ok(refuses(`http://${host}/`)));

for (const host of ["93.184.215.14", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", "hooks.example", "8.8.8.8"])
  test(`${host} is public`, () => assert.ok(!refuses(`https://${host}/`)));

for (const [allowed, url, isRefused] of [
  ["127.0.0.1", "http://127.0.0.1:9/", false],
  ["127.0.0.1:9", "http://127.0.0.1:9/", false],
  ["127.0.0.1:9", "http://127.0.0.1:10/", true],
  ["127.0.0.1:443", "https://127.0.0.1/", false],
  ["10.0.0.0/8", "http://10.9.8.7/", false],
  ["10.0.0.0/8", "http://192.168.0.1/", true],
  ["fd00::/8", "http://[fd00::5]/", false],
  ["10.0.0.0/99", "http://10.0.0.1/", true],
  ["localhost", "http://localhost:8080/", false],
  ["*", "http://[::1]/", false],
] as const)
  test(`with ${allowed}, ${url} is ${isRefused ? "refused" : "allowed"}`, () =>
    assert.equal(refuses(url, [allowed]), isRefused));

/** Resolves a name as the guard does, with DNS returning these addresses. */
const lookup = (addresses: string[], options: { allowed?: string[]; proxies?: string[] } = {}) => {
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const resolve = ((_: string, __: object, callback: (error: null, found: LookupAddress[]) => void) =>
    callback(null, found)) as unknown as NonNullable<Parameters<typeof createGuard>[0]["resolve"]>;
  const guard = createGuard({ allowed: [], ...options, resolve });
  return new Promise((settle, reject) =>
    guard.lookupFor(new URL("http://hooks.example:9/"))("hooks.example", { all: true }, (error, result) =>
      error ? reject(error) : settle(result),
    ),
  );
};

test("a name is connected to at the addresses that were checked", async () => {
  const result = await lookup(["93.184.215.14", "2606:2800:21f::1"]);
  assert.deepEqual(result, [
    { address: "93.184.215.14", family: 4 },
    { address: "2606:2800:21f::1", family: 6 },
  ]);
});

test("a name with both public and private addresses is refused", async () => {
  await assert.rejects(lookup(["93.184.215.14", "127.0.0.1"]), /hooks\.example \(127\.0\.0\.1\) is private/);
});

test("it can be allowed by name or address, and the operator's proxy is trusted", async () => {
  for (const options of [
    { allowed: ["hooks.example"] },
    { allowed: ["hooks.example:9"] },
    { allowed: ["10.0.0.1:9"] },
    { allowed: ["10.0.0.0/8"] },
    { proxies: ["hooks.example"] },
  ])
    assert.ok(await lookup(["10.0.0.1"], options));
});

test("an address allowed on one port is refused on another", async () => {
  for (const allowed of [["hooks.example:10"], ["10.0.0.1:10"]])
    await assert.rejects(lookup(["10.0.0.1"], { allowed }), /is private/);
});

test("a name can be allowed with its port", async (t) => {
  const receiver = await openReceiver(t);
  const url = receiver.url.replace("127.0.0.1", "localhost");
  const { integrate, addFlag, recorded } = await openDelivering(t, { allowed: [new URL(url).host] });
  await integrate({ url });
  await addFlag("f");
  const [record] = await recorded(1);
  assert.equal(record!.state, "success", record!.stateDetails);
});

for (const host of ["127.0.0.1", "localhost", "localhost.localdomain"])
  test(`nothing is delivered to ${host} unless it is allowed, and there is no retry`, async (t) => {
    const receiver = await openReceiver(t);
    const { integrate, addFlag, recorded } = await openDelivering(t, { allowed: [] });
    await integrate({ url: receiver.url.replace("127.0.0.1", host) });
    await addFlag("f");
    const [record] = await recorded(1);
    if (record!.stateDetails.includes("ENOTFOUND") || record!.stateDetails.includes("EAI_AGAIN")) return;
    assert.match(record!.stateDetails, /status code: TARGET_NOT_ALLOWED\.\n.*--allow-private-targets/);
    assert.equal(record!.details.retryAt, undefined);
    assert.deepEqual(receiver.received, []);
  });
