import assert from "node:assert/strict";
import { until } from "../support/receiver.ts";
import { isUsedBy, open, press, sees, test, type } from "./browser.ts";
import { approvers } from "./change-requests-world.ts";

test("production is changed by two: proposed by one, approved and applied by the other", async (t) => {
  const { db, url, link, page } = await open(t, { world: approvers(), at: "/projects/shop/environments" });
  const isOn = () =>
    db.prepare("SELECT enabled FROM feature_environments WHERE environment = 'production'").pluck().get() ===
    1;
  await page.select("select[aria-label='Approvals of a change in production']", "1");
  await until(
    () =>
      db
        .prepare("SELECT required_approvals FROM project_environments WHERE environment = 'production'")
        .pluck()
        .get() === 1,
  );
  await page.goto(`${url}/projects/shop/features/checkout`);
  await press(page, "switch", "checkout in production");
  await sees(page, "Added to your draft, change request #1");
  assert.equal(isOn(), false);
  await press(page, "link", "1 change in your draft");
  await sees(page, "Turn checkout on");
  await press(page, "button", "Ask for approval");
  await press(page, "checkbox", "user4");
  await press(page, "button", "Ask them");
  await press(page, "button", "Send to review");
  await sees(page, "0 of 1 approvals needed");

  const context = await page.browser().createBrowserContext();
  t.after(() => context.close());
  const other = await context.newPage();
  await other.goto(link(4));
  await isUsedBy(other, "user4");
  await sees(other, "Needs your approval");
  await press(other, "link", "Change request #1");
  await press(other, "button", "Comment");
  await type(other, "Your comment", "At last");
  await press(other, "button", "Send");
  await press(other, "button", "Approve");
  await sees(other, "1 of 1 approvals needed");
  await press(other, "button", "Apply now");
  await until(isOn);
  await sees(other, "Applied");
  await sees(page, "Applied");
});

test("a flag is turned on at a time, where nobody must approve", async (t) => {
  const { db, url, page } = await open(t, { world: approvers(), at: "/projects/shop/features/checkout" });
  await press(page, "button", "Turn on later");
  await type(page, "When", "2020-01-01T09:00");
  await press(page, "button", "Schedule");
  await sees(page, "Is in the past");
  await type(page, "When", "2099-01-01T09:00");
  await press(page, "button", "Schedule");
  await sees(page, "Planned");
  await until(() => db.prepare("SELECT state FROM change_requests").pluck().get() === "Scheduled");
  await page.goto(`${url}/projects/shop/change-requests/1`);
  await sees(page, "Pending for");
  await press(page, "button", "Cancel it");
  await until(() => db.prepare("SELECT state FROM change_requests").pluck().get() === "Cancelled");
});

test("what others change after an approval is shown, and must be approved again", async (t) => {
  const requiredApprovals = [{ environment: "production", approvals: 1 }];
  const { page, url, send } = await open(t, { world: approvers({ requiredApprovals }), as: 4 });
  const payload = { id: "s", name: "default", title: "as proposed" };
  const change = { feature: "checkout", action: "updateStrategy", payload };
  await send("POST", "/projects/shop/environments/production/change-requests", change);
  await send("PUT", "/projects/shop/change-requests/1/state", { state: "In review" });
  await page.goto(`${url}/projects/shop/change-requests/1`);
  await press(page, "button", "Try it with a context");
  await press(page, "button", "Evaluate");
  await sees(page, "checkout is off");
  await press(page, "button", "Close");
  await press(page, "button", "Approve");
  await sees(page, "1 of 1 approvals needed");
  const strategy = "/projects/shop/features/checkout/environments/production/strategies/s";
  await send("PUT", strategy, { name: "default", title: "by others" });
  await sees(page, "The strategy was changed since", "as proposed", "by others", "must be approved again");
  await press(page, "button", "Approve");
  await press(page, "button", "Apply now");
  await sees(page, "Applied");
});
