import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { open, press, sees, seesNoDialog, test, type } from "./browser.ts";

/** A name that addresses have to escape, twice where it looks escaped already. */
const NAME = "kiosk / 100%2F";

const world = () => {
  const hour = new Date(Date.now() - (Date.now() % 3_600_000)).toISOString();
  const used = { environment: "production", application: NAME, hours: [{ hour, yes: 3, no: 1 }] };
  return createWorld()
    .project("shop")
    .feature("cart", "shop")
    .add("application", {
      name: NAME,
      strategies: ["default", "ours"],
      places: [{ project: "shop", environment: "production" }],
    })
    .add("instance", {
      application: NAME,
      environment: "production",
      instance: "till-1",
      sdkVersion: "unleash-client-node:4.1.0",
    })
    .add("usage", { feature: "cart", ...used })
    .add("usage", { feature: "voucher", ...used });
};

test("an application tells where it runs, what it uses and what is wrong with it", async (t) => {
  const { page, read } = await open(t, { world: world(), at: "/applications?query=kiosk" });
  await sees(page, "outdated SDK", "1 unknown flag", "Unknown flags");
  await press(page, "link", NAME);
  await sees(page, "Flags that don't exist", "voucher", "unleash-client-node:4.1.0", "till-1", "ours");
  await press(page, "button", "Edit");
  await type(page, "Description", "At the door");
  await press(page, "button", "Save");
  await seesNoDialog(page);
  await sees(page, "At the door");
  const { applications } = await read("/metrics/applications");
  assert.equal(applications[0].description, "At the door");
  await press(page, "link", "cart");
  await sees(page, "Add a strategy");
});
