import assert from "node:assert/strict";
import { test } from "node:test";
import { openUnleash, UNLEASH_VERSIONS, WITHOUT_UNLEASH } from "../support/unleash.ts";

for (const version of UNLEASH_VERSIONS)
  test(`Unleash ${version} starts, and starts again on its database`, {
    skip: WITHOUT_UNLEASH,
  }, async (t) => {
    const unleash = await openUnleash(t, version);
    await unleash.ask("POST", "/api/admin/projects/default/features", { name: "first", type: "release" });
    await unleash.stop();
    unleash.psql("UPDATE features SET description = 'changed aside'");
    await unleash.start();
    const { features } = await unleash.ask("GET", "/api/admin/projects/default/features");
    assert.equal(unleash.psql("SELECT name, description FROM features"), "first|changed aside");
    assert.equal(features[0].name, "first");
    assert.match(unleash.dump("--data-only").toString(), /^COPY public\.features /m);
  });
