import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { dataFile, runHere } from "../cli/run-cli.ts";
import { pushedWorld } from "../support/pushed.ts";
import { openUnleash, UNLEASH_VERSIONS, WITHOUT_UNLEASH } from "../support/unleash.ts";
import type { World } from "../support/world.ts";

/*
 * What `push` does to the real one.
 */

type Unleash = Awaited<ReturnType<typeof openUnleash>>;

/** @returns what was printed: the plan */
async function push(t: TestContext, unleash: Unleash, { lines }: Pick<World, "lines">) {
  const data = await dataFile(t, lines);
  const result = await runHere(["push", "--to", unleash.url, "--data", data], {
    env: { FLAGSTONE_TOKEN: unleash.token },
  });
  assert.equal(result.code, 0, result.stderr);
  return result;
}

/** The lines of the world, of which this flag is changed in production. */
const changed = (world: World, production: object) => ({
  lines: world.lines.map((line) =>
    line.name === "checkout"
      ? { ...line, tags: [], environments: [{ name: "production", ...production }] }
      : line,
  ),
});

// biome-ignore lint/suspicious/noExplicitAny: bodies have any shape
type Body = any;

async function productionOf({ ask }: Unleash) {
  const { environments } = await ask("GET", "/api/admin/projects/default/features/checkout");
  return environments.find((one: Body) => one.name === "production");
}

/** The open-source edition can't change a project. */
const world = () =>
  pushedWorld({ name: "Default", description: "Default project" }).project("shop").feature("till", "shop");

for (const version of UNLEASH_VERSIONS)
  test(`Unleash ${version} gets what differs`, { skip: WITHOUT_UNLEASH }, async (t) => {
    const unleash = await openUnleash(t, version);
    const first = await push(t, unleash, world());
    assert.match(first.stderr, /1 change: the server has no such operation.*\n.* {2}project shop/);
    assert.match(first.stderr, /1 change: the project shop could not be created.*\n.* {2}flag till/);
    const { enabled, strategies } = await productionOf(unleash);
    assert.deepEqual([enabled, strategies.map(({ title }: Body) => title)], [true, ["Half", "Europe"]]);
    const segments = unleash.psql("SELECT id FROM segments ORDER BY id").split("\n").map(Number);
    assert.deepEqual(strategies[1].segments.toSorted(), segments);

    const second = await push(t, unleash, world());
    assert.equal(second.stdout, "+ project shop\n+ flag till\n", "all else is there");

    await push(
      t,
      unleash,
      changed(world(), { enabled: false, strategies: [{ name: "default", title: "New" }] }),
    );
    const after = await productionOf(unleash);
    assert.deepEqual([after.enabled, after.strategies.map(({ title }: Body) => title)], [false, ["New"]]);
    assert.equal(unleash.psql("SELECT count(*) FROM feature_tag"), "0");
    const types = unleash.psql(
      "SELECT type FROM events WHERE feature_name = 'checkout' ORDER BY id DESC LIMIT 5",
    );
    const order = types.split("\n").reverse();
    assert.ok(
      order.indexOf("feature-environment-disabled") < order.indexOf("feature-strategy-remove"),
      types,
    );
  });
