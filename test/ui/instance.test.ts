import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";
import { holds, open, press, sees, seesNoDialog, test, type } from "./browser.ts";

const world = createWorld().project("shop").feature("cart", "shop");

test("administrators tell everyone something, and end all changes for a while", async (t) => {
  const { page, signedIn, read } = await open(t, { world, at: "/instance/banners" });
  const other = await signedIn(2);
  await press(page, "button", "New banner");
  await type(page, "Message", "**Freeze** until [Monday](/events)");
  await press(page, "button", "Create the banner");
  await seesNoDialog(page);
  await sees(other, "Freeze until Monday");
  await press(page, "switch", "Show **Freeze** until [Monday](/events)");
  await holds(other, "!document.body.innerText.includes('Freeze')");
  await press(page, "link", "Statistics");
  await press(page, "button", "Switch it on");
  await sees(page, "Nobody can change anything");
  await press(page, "button", "Switch it on");
  await sees(other, "Maintenance mode is on");
  await press(page, "button", "Switch it off");
  await holds(other, "!document.body.innerText.includes('Maintenance mode is on')");
  await type(page, "Pages that may ask for flags", "https://shop.example\nhttps://admin.example");
  await press(page, "button", "Save");
  await sees(page, "Saved");
  const { frontendApiOrigins } = await read("/ui-config");
  assert.deepEqual(frontendApiOrigins, ["https://shop.example", "https://admin.example"]);
  await press(page, "link", "Sign-ins");
  await sees(page, "signed in");
});
