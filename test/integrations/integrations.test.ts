import assert from "node:assert/strict";
import { scenarios } from "../support/server.ts";
import { personal, SERVICE, type World } from "../support/world.ts";

const ODD = '\u0001\b\t\n\f\r\u001f "\\/<\u007f\u0085ü\u2028\ufeff😀';
const two = (w: World) => w.event().integration().integration({ provider: "slack" });

scenarios("GET /api/admin/addons/1/events", [
  { name: "a service token", as: SERVICE, given: two },
  {
    name: "a user whose group is Admin",
    as: personal(4),
    given: (w) => two(w).group("admins", [4], { rootRole: 1 }),
  },
  {
    name: "no deliveries yet",
    given: two,
    see: (body) => assert.deepEqual(body, { integrationEvents: [] }),
  },
  {
    name: "newest first, only its own, with the whole event",
    given: (w) =>
      two(w)
        .integrationEvent({ details: { url: "http://x", "": { deep: [1] } } })
        .integrationEvent({ integrationId: 2 })
        .integrationEvent({ state: "successWithErrors", stateDetails: "" }),
    see: ({ integrationEvents: [newest, oldest, ...others] }) => {
      assert.deepEqual(others, []);
      assert.deepEqual([newest.id, newest.state], ["3", "successWithErrors"]);
      assert.equal(oldest.id, "1");
      assert.deepEqual(oldest.details, { url: "http://x", "": { deep: [1] } });
      assert.deepEqual(Object.keys(oldest.event), EVENT_KEYS);
    },
  },
  {
    name: "all kinds of text are escaped as in other JSON",
    given: (w) => two(w).integrationEvent({ stateDetails: ODD }),
    see: (body, { text }) => {
      assert.equal(body.integrationEvents[0].stateDetails, ODD);
      assert.equal(text, JSON.stringify(body));
    },
  },
  {
    name: "ids are sorted as numbers",
    given: (w) => two(w).integrationEvent({ id: "9" }).integrationEvent({ id: "10" }),
    see: (body) => assert.deepEqual(idsOf(body), ["10", "9"]),
  },
  {
    name: "50 by default",
    given: many,
    see: (body) => assert.equal(body.integrationEvents.length, 50),
  },
  {
    name: "a page",
    url: "?limit=2&offset=3",
    given: many,
    see: (body) => assert.deepEqual(idsOf(body), ["57", "56"]),
  },
  {
    name: "an offset past the end",
    url: "?offset=60",
    given: many,
    see: (body) => assert.deepEqual(idsOf(body), []),
  },
]);

const EVENT_KEYS = [
  "id",
  "createdAt",
  "type",
  "createdBy",
  "createdByUserId",
  "environment",
  "project",
  "featureName",
  "data",
  "preData",
  "tags",
  "label",
  "summary",
];

const idsOf = (body: { integrationEvents: Array<{ id: string }> }) =>
  body.integrationEvents.map(({ id }) => id);

function many(world: World) {
  two(world);
  for (let count = 0; count < 60; count++) world.integrationEvent();
  return world;
}
