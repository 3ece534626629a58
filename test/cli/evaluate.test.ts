import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, type TestContext, test } from "node:test";
import { createWorld } from "../support/world.ts";
import { assertRefused, dataFile, endAfter, runHere, startCli, temporaryFolder } from "./run-cli.ts";

const SHOP = path.join(import.meta.dirname, "../samples/shop/flags.json");
const evaluate = (...args: string[]) => runHere(["evaluate", ...args]);

async function seeded(t: TestContext, seed: unknown) {
  const file = path.join(temporaryFolder(t), "seed.json");
  fs.writeFileSync(file, JSON.stringify(seed));
  return file;
}

describe("flagstone evaluate", { concurrency: true }, () => {
  test("a flag that is on", async () => {
    assert.deepEqual(await evaluate("new-checkout", "--seed", SHOP, "--context", "country=NO"), {
      code: 0,
      stdout: [
        "new-checkout is on in development",
        "  flexibleRollout matches",
        "    country IN NO, SE matches",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  test("a flag that is off, and why", async () => {
    const { stdout } = await evaluate("new-checkout", "--seed", SHOP, "--context", "country=DE");
    assert.equal(
      stdout,
      [
        "new-checkout is off in development: none of its strategies matches",
        "  flexibleRollout does not match",
        "    country IN NO, SE does not match",
        "",
      ].join("\n"),
    );
    assert.match(
      (await evaluate("old-checkout", "--seed", SHOP)).stdout,
      /is off .*: it is disabled there\n/,
    );
  });

  test("other reasons", async (t) => {
    const flag = (name: string, more: object) => ({ name, enabled: true, ...more });
    const seed = await seeded(t, {
      features: [
        flag("child", { dependencies: [{ feature: "nowhere" }] }),
        flag("odd", {
          strategies: [{ name: "flexibleRollout", parameters: { rollout: "100", stickiness: "properties" } }],
        }),
        flag("host", { strategies: [{ name: "applicationHostname" }] }),
      ],
    });
    assert.match((await evaluate("child", "--seed", seed)).stdout, /a flag that it depends on/);
    assert.match(
      (await evaluate("odd", "--seed", seed)).stdout,
      /: it can't be evaluated: properties is not/,
    );
    assert.match((await evaluate("host", "--seed", seed)).stdout, /can only be evaluated by the application/);
  });

  test("a title can't break the lines, or reach the terminal", async (t) => {
    const strategies = [{ name: "default", title: "\u001b[31mred\nsecond line" }];
    const seed = await seeded(t, { features: [{ name: "odd", enabled: true, strategies }] });
    const { stdout } = await evaluate("odd", "--seed", seed);
    assert.ok(!stdout.includes("\u001b"), stdout);
    assert.equal(stdout.trim().split("\n").length, 2, stdout);
  });

  test("as JSON", async () => {
    const { stdout } = await evaluate("new-checkout", "--seed", SHOP, "--context", "country=NO", "--json");
    assert.partialDeepStrictEqual(JSON.parse(stdout), {
      name: "new-checkout",
      environment: "development",
      isEnabled: true,
      strategies: { result: true, data: [{ constraints: [{ contextName: "country", result: true }] }] },
    });
  });

  test("from the data file, in another environment", async (t) => {
    const data = await dataFile(t, createWorld().project("a").feature("cart", "a").lines);
    const { stdout } = await evaluate("cart", "--data", data, "--environment", "production");
    assert.match(stdout, /^cart is off in production/);
  });

  test("invalid usage is refused", async () => {
    assertRefused(await evaluate("nope", "--seed", SHOP), 3, "There is no flag nope");
    const misused = (message: string, ...args: string[]) =>
      evaluate("new-checkout", "--seed", SHOP, ...args).then((result) =>
        assertRefused(result, 2, message, " evaluate"),
      );
    await misused("--environment: x must be one of development, production", "--environment", "x");
    await misused("--context: country is not NAME=VALUE", "--context", "country");
    assertRefused(await evaluate("x", "--watch"), 2, "--watch needs a --seed", " evaluate");
    assertRefused(
      await evaluate("x", "--seed", "no-file"),
      3,
      "no-file can't be read: there is no such file or folder",
    );
  });

  test("--watch prints it again when the seed changes", async (t) => {
    const seed = await seeded(t, { cart: true });
    const running = startCli(["evaluate", "cart", "--seed", seed, "--watch"]);
    endAfter(t, running);
    await running.until("the first", ({ stdout }) => stdout.includes("cart is on"));
    fs.writeFileSync(seed, '{"cart": ');
    await running.until("the error", ({ stderr }) => stderr.includes("seed.json"));
    fs.writeFileSync(seed, '{"cart": false}');
    await running.until("the second", ({ stdout }) => stdout.includes("cart is off"));
    running.child.kill("SIGTERM");
    assert.equal((await running.ended).code, 0);
  });

  test("the program prints the same", async () => {
    assert.deepEqual(
      await runHere(["evaluate", "old-checkout", "--seed", SHOP]),
      await evaluate("old-checkout", "--seed", SHOP),
    );
  });
});
