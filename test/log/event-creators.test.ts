import assert from "node:assert/strict";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const by = (w: World, createdByUserId: number | null, project: string | null = null) =>
  w.event({ createdByUserId, createdBy: `by ${createdByUserId}`, project });

const SYSTEM = { id: -1337, name: "Unleash System" };

scenarios("GET /api/admin/event-creators", [
  { name: "no events", as: personal(3), see: (body) => assert.deepEqual(body, [SYSTEM]) },
  {
    name: "each once by id: users by name, tokens, and deleted users",
    as: SERVICE,
    given: (w) => [3, 1, 3, null, 99, -42, -1337].reduce((world: World, id) => by(world, id), w),
    see: (body) =>
      assert.deepEqual(body, [
        SYSTEM,
        { id: -42, name: "Unleash Admin Token" },
        { id: 1, name: "admin" },
        { id: 3, name: "Vic Viewer" },
        { id: 99, name: "by 99" },
      ]),
  },
  {
    name: "the authors of events in hidden projects only are omitted",
    as: personal(3),
    given: (w) => by(by(by(w.project("p", { mode: "private" }).project("a"), 1, "p"), 2, "p"), 2, "a"),
    see: (body) => assert.deepEqual(body, [SYSTEM, { id: 2, name: "user2" }]),
  },
]);
