import assert from "node:assert/strict";
import { type Scenario, scenarios } from "../support/server.ts";
import { personal, type World } from "../support/world.ts";

/** User 3 is in both groups and has roles in both projects; user 5 is a service account. */
const given = (w: World) =>
  w
    .user({ username: "pipeline", accountType: "Service Account" })
    .group("Night, shift", [3])
    .group("Day shift", [3, 4])
    .project("a")
    .project("p", { mode: "private" })
    .member("p", 3)
    .member("a", 3)
    .member("a", 3, 4)
    .member("a", 5)
    .groupMember("a", 1)
    .groupMember("p", 2)
    .groupMember("p", 2, 4)
    .groupMember("a", 2);

const here = (rest: Partial<Scenario>): Scenario => ({ name: "", given, ...rest });

const VIC = {
  userId: 3,
  createdAt: "2026-01-01T00:00:00.000Z",
  userName: "Vic Viewer",
  userEmail: null,
  lastSeen: null,
  rootRole: "Viewer",
  accessibleProjects: ["a", "p"],
  groups: ["Day shift", "Night, shift"],
  groupProjects: ["a", "p"],
};

scenarios("GET /api/admin/access/overview", [
  here({
    name: "each user and service account, by id",
    see: ({ overview }, { headers }) => {
      assert.deepEqual(
        overview.map(({ userId }: { userId: number }) => userId),
        [1, 2, 3, 4, 5],
      );
      assert.deepEqual(overview[2], VIC);
      assert.equal(headers.get("vary"), "accept, accept-encoding");
    },
  }),
  here({
    name: "a browser's preferences are JSON",
    headers: { accept: "text/html, */*;q=0.8" },
    see: ({ overview }) => assert.equal(overview.length, 5),
  }),
  here({
    name: "the same as CSV",
    headers: { accept: "text/csv" },
    see: (_, { text }) => {
      const [names, , , vic] = text.split("\r\n");
      assert.equal(
        names,
        Object.keys(VIC)
          .map((key) => `"${key}"`)
          .join(","),
      );
      assert.equal(
        vic,
        `3,"2026-01-01T00:00:00.000Z","Vic Viewer",,,"Viewer","[""a"",""p""]","[""Day shift"",""Night, shift""]","[""a"",""p""]"`,
      );
    },
  }),
]);

const MEMBER_OF_A = { project: "a", role: 5, userCount: 1, serviceAccountCount: 1, groupCount: 2 };
const MEMBER_OF_P = { project: "p", role: 5, userCount: 1, serviceAccountCount: 0, groupCount: 1 };

scenarios("GET /api/admin/projects/roles/5/access", [
  here({
    name: "how many have it in each project",
    see: (body) => assert.deepEqual(body, { projects: [MEMBER_OF_A, MEMBER_OF_P] }),
  }),
  {
    name: "READ_ROLE suffices, but not for hidden projects",
    as: personal(6),
    given: (w) =>
      given(w)
        .add("role", { id: 7, name: "Auditor", type: "custom-root", permissions: [{ name: "READ_ROLE" }] })
        .user({ rootRole: 7 }),
    see: (body) => assert.deepEqual(body, { projects: [MEMBER_OF_A] }),
  },
  here({
    name: "a role that nobody has",
    url: "/api/admin/projects/roles/99/access",
    see: (body) => assert.deepEqual(body, { projects: [] }),
  }),
  here({
    name: "an id that is no number",
    url: "/api/admin/projects/roles/x/access",
    expect: [400, "ValidationError"],
  }),
]);

const NOT_FOUND: [number, string] = [404, "NotFoundError"];

scenarios("GET /api/admin/service-account/5/permissions", [
  here({
    name: "in a project",
    url: "?project=a&environment=production",
    see: ({ matrix, serviceAccount, rootRole, projectRoles }) => {
      assert.deepEqual([serviceAccount.username, rootRole.name], ["pipeline", "Viewer"]);
      assert.deepEqual(
        projectRoles.map(({ name }: { name: string }) => name),
        ["Member"],
      );
      const held = (list: Array<{ name: string; hasPermission: boolean }>, wanted: string) =>
        list.find(({ name }) => name === wanted)?.hasPermission;
      assert.equal(held(matrix.project, "CREATE_FEATURE"), true);
      assert.equal(held(matrix.root, "ADMIN"), false);
      assert.equal(held(matrix.environment, "UPDATE_FEATURE_ENVIRONMENT"), true);
    },
  }),
  here({ name: "a user", url: "/api/admin/service-account/3/permissions", expect: NOT_FOUND }),
  here({ name: "an unknown one", url: "/api/admin/service-account/99/permissions", expect: NOT_FOUND }),
]);
