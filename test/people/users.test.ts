import assert from "node:assert/strict";
import crypto from "node:crypto";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const picture = (name: string) => `/avatars/${crypto.createHash("sha256").update(name).digest("hex")}.svg`;

scenarios("GET /api/admin/user-admin/", [
  { name: "another user", url: "2", as: personal(3), expect: [403, "NoAccessError"] },
  { name: "another user that does not exist", url: "99", as: personal(3), expect: [403, "NoAccessError"] },
  {
    name: "the permission is checked before the id",
    url: "x",
    as: personal(3),
    expect: [403, "NoAccessError"],
  },
  { name: "oneself", url: "3", as: personal(3), see: (body) => assert.equal(body.name, "Vic Viewer") },
  { name: "a service token", url: "3", as: SERVICE },
  ...(
    [
      [null, 200],
      ["production", 403],
    ] as const
  ).flatMap(([environment, expect]) => {
    const permissions = [{ name: "ADMIN", ...(environment && { environment }) }];
    const role = { id: 6, name: "Keeper", type: "custom-root", permissions };
    const to = environment ?? "every environment";
    return [
      {
        name: `ADMIN in ${to} by one's own role`,
        url: "1",
        as: personal(5),
        given: (w: World) => w.add("role", role).user({ rootRole: 6 }),
        expect,
      },
      {
        name: `ADMIN in ${to} by a group's role`,
        url: "1",
        as: personal(3),
        given: (w: World) => w.add("role", role).group("keepers", [3], { rootRole: 6 }),
        expect,
      },
    ];
  }),
  { name: "an unknown id", url: "99", expect: [404, "NotFoundError"] },
  { name: "the system's id", url: "-42", expect: [404, "NotFoundError"] },
  { name: "not an integer", url: "1.5", expect: [400, "ValidationError"] },
  {
    name: "unset values are null or absent",
    url: "1",
    see: (body) =>
      assert.deepEqual(body, {
        id: 1,
        isAPI: false,
        name: null,
        username: "admin",
        imageUrl: picture("admin"),
        loginAttempts: 0,
        rootRole: 1,
        seenAt: null,
        createdAt: "2026-01-01T00:00:00.000Z",
        accountType: "User",
      }),
  },
  {
    name: "every value",
    url: "5",
    given: (w) =>
      w.user({
        name: "N",
        username: "robot",
        email: "Robot@Example.com",
        imageUrl: "https://pictures.example/1.png",
        accountType: "Service Account",
        rootRole: 2,
        seenAt: "2026-02-03T04:05:06+01:00",
        loginAttempts: 3,
        emailSent: false,
        inviteLink: "https://x.example/invite",
        scimId: "s-1",
      }),
    see: (body) =>
      assert.deepEqual(body, {
        id: 5,
        isAPI: false,
        name: "N",
        email: "Robot@Example.com",
        username: "robot",
        imageUrl: "https://pictures.example/1.png",
        inviteLink: "https://x.example/invite",
        loginAttempts: 3,
        emailSent: false,
        rootRole: 2,
        seenAt: "2026-02-03T03:05:06.000Z",
        createdAt: "2026-01-01T00:00:00.000Z",
        accountType: "Service Account",
        scimId: "s-1",
      }),
  },
  {
    name: "the avatar is derived from the e-mail address first",
    url: "2",
    see: (body) => assert.equal(body.imageUrl, picture("edith@example.com")),
  },
  {
    name: "and from the id last",
    url: "5",
    given: (w) => w.user({ username: null }),
    see: (body) => assert.equal(body.imageUrl, picture("5")),
  },
]);
