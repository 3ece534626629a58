import assert from "node:assert/strict";
import { badBodies } from "../support/bad-bodies.ts";
import { type Scenario, scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const BANNERS = "/api/admin/banners";
const BANNER = `${BANNERS}/1`;

const banner = (w: World) => w.add("banner", { id: 1, message: "Back at noon", icon: "clock" });
const WHOLE = {
  id: 1,
  message: "Back at noon",
  enabled: true,
  variant: "info",
  sticky: false,
  icon: "clock",
  link: null,
  linkText: null,
  dialogTitle: null,
  dialog: null,
};

/** Only Admins and service tokens have access. */
const forAdmins = (common: Partial<Scenario>, done: Partial<Scenario>): Scenario[] => [
  { ...common, ...done, name: "an Admin may" },
  { ...common, ...done, name: "a service token may", as: SERVICE },
  { ...common, name: "an Editor may not", as: personal(2), expect: [403, "NoAccessError"] },
];

scenarios(`GET ${BANNERS}`, [
  { name: "none", as: personal(3), see: (body) => assert.deepEqual(body, { banners: [] }) },
  {
    name: "all, for any user",
    as: personal(3),
    given: (w) => banner(w).add("banner", { id: 2, message: "Off", enabled: false }),
    see: ({ banners }) => {
      assert.partialDeepStrictEqual(banners, [WHOLE, { id: 2, enabled: false }]);
    },
  },
]);

const body = { message: "Soon" };
const bad: Array<[string, unknown, string]> = [
  ["no message", {}, "body.message"],
  ["an object as the message", { message: {} }, "body.message"],
  ["text for enabled", { ...body, enabled: "yes" }, "body.enabled"],
  ["an unknown variant", { ...body, variant: "loud" }, "body.variant"],
  ["a script as the link", { ...body, link: "javascript:alert(1)" }, "body.link"],
  ["a disguised link to another host", { ...body, link: "//evil.example" }, "body.link"],
  ["the same with a backslash", { ...body, link: "/\\evil.example" }, "body.link"],
  ["a data URL as the link", { ...body, link: "data:text/html,x" }, "body.link"],
];

scenarios(`POST ${BANNERS}`, [
  ...forAdmins(
    { body },
    {
      expect: 201,
      records: [{ type: "banner-created", preData: null, project: null }],
      see: (made) => assert.partialDeepStrictEqual(made, { ...WHOLE, message: "Soon", icon: null }),
    },
  ),
  ...["https://status.example/now", "/projects", "dialog", ""].map(
    (link): Scenario => ({
      name: `the link ${JSON.stringify(link)}`,
      body: { ...body, link },
      expect: 201,
      records: [{ type: "banner-created" }],
      see: (made) => assert.equal(made.link, link),
    }),
  ),
  ...badBodies({}, bad),
]);

scenarios(`PUT ${BANNER}`, [
  ...forAdmins(
    { given: banner, body: { message: "Later", sticky: true, variant: "error" } },
    {
      records: [{ type: "banner-updated" }],
      see: (changed) =>
        assert.partialDeepStrictEqual(changed, {
          id: 1,
          message: "Later",
          sticky: true,
          variant: "error",
          icon: null,
        }),
    },
  ),
  ...badBodies({ given: banner }, bad),
  { name: "none", body, expect: [404, "NotFoundError"] },
  { name: "an invalid id", url: `${BANNERS}/x`, body, expect: [400, "ValidationError"] },
]);

for (const [deed, enabled] of [
  ["on", true],
  ["off", false],
] as const) {
  scenarios(`POST ${BANNER}/${deed}`, [
    ...forAdmins(
      { given: (w) => w.add("banner", { id: 1, message: "x", enabled: !enabled }) },
      { records: [{ type: "banner-updated" }] },
    ),
    { name: "that is so already", given: (w) => w.add("banner", { id: 1, message: "x", enabled }) },
    { name: "none", expect: [404, "NotFoundError"] },
  ]);
}

scenarios(`DELETE ${BANNER}`, [
  ...forAdmins({ given: banner }, { records: [{ type: "banner-deleted", data: null }] }),
  { name: "none", expect: [404, "NotFoundError"] },
]);
