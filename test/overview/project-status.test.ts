import assert from "node:assert/strict";
import { scenarios } from "../support/server.ts";
import { personal, type World } from "../support/world.ts";

const ago = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const day = (days: number) => ago(days).slice(0, 10);
const event = (days: number, project = "a") => ({ type: "project-updated", project, createdAt: ago(days) });
const token = (name: string, hash: string, projects: string[]) => ({
  type: "client",
  name,
  hash: hash.repeat(64),
  projects,
  environment: "production",
});

const given = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("hidden", { mode: "private" })
    .member("a", 3)
    .group("g", [3, 4])
    .groupMember("a", 1, 4)
    .add("segment", { id: 1, name: "own", project: "a" })
    .add("segment", { id: 2, name: "everyone's" })
    .add("token", token("own", "1", ["a"]))
    .add("token", token("both", "2", ["b", "a"]))
    .add("token", token("all", "3", ["*"]))
    .feature("fresh", "a", { createdAt: ago(9), stages: [{ stage: "initial", enteredAt: ago(9) }] })
    .feature("stale", "a", { createdAt: ago(35), stale: true })
    .feature("aged", "a", {
      createdAt: ago(50),
      stages: [
        { stage: "initial", enteredAt: ago(50) },
        { stage: "live", enteredAt: ago(46.4) },
      ],
    })
    .feature("gone", "a", {
      createdAt: ago(100),
      archivedAt: ago(40),
      stages: [
        { stage: "initial", enteredAt: ago(100) },
        { stage: "live", enteredAt: ago(95) },
        { stage: "archived", enteredAt: ago(40) },
      ],
    })
    .feature("gone lately", "a", { archivedAt: ago(2) })
    .event(event(400))
    .event(event(30))
    .event(event(3))
    .event(event(3, "b"))
    .event(event(3));

const stage = (averageDays: number | null, currentFlags: number) => ({ averageDays, currentFlags });

scenarios("GET /api/admin/projects/", [
  {
    name: "the status of a project",
    url: "a/status",
    as: personal(3),
    given,
    see: (body) =>
      assert.deepEqual(body, {
        activityCountByDate: [
          { date: day(30), count: 1 },
          { date: day(3), count: 2 },
        ],
        resources: { members: 2, apiTokens: 2, segments: 1 },
        health: { current: 33 },
        technicalDebt: { current: 67 },
        lifecycleSummary: {
          initial: stage(4, 1),
          preLive: stage(null, 0),
          live: stage(55, 1),
          completed: stage(null, 0),
          archived: { currentFlags: 2, last30Days: 1 },
        },
        staleFlags: { total: 2 },
      }),
  },
  {
    name: "of an empty one",
    url: "hidden/status",
    given,
    see: ({ lifecycleSummary, ...rest }) => {
      assert.deepEqual(lifecycleSummary.initial, stage(null, 0));
      assert.deepEqual(rest, {
        activityCountByDate: [],
        resources: { members: 0, apiTokens: 0, segments: 0 },
        health: { current: 100 },
        technicalDebt: { current: 0 },
        staleFlags: { total: 0 },
      });
    },
  },
  { name: "of a hidden one", url: "hidden/status", as: personal(3), given, expect: [403, "NoAccessError"] },
  { name: "of an unknown one", url: "nope/status", given, expect: [404, "NotFoundError"] },
]);
