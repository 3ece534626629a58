import assert from "node:assert/strict";
import { test } from "node:test";
import { openServer, scenarios } from "../support/server.ts";
import { createWorld, personal, SERVICE, type World } from "../support/world.ts";

const SEARCH = "/api/admin/search/events";

type Body = { events: Array<{ id: number }>; total: number };
const idsOf = ({ events }: Body) => events.map(({ id }) => id);

/** Seven events, one per day from 2026-01-01: ids 1 to 7. */
const withLog = (w: World) =>
  w
    .project("a")
    .project("b")
    .project("secret", { mode: "private" })
    .event({
      createdAt: "2026-01-01T23:59:59.999Z",
      project: "a",
      featureName: "cart",
      data: { n: "needle" },
    })
    .event({ createdAt: "2026-01-02T00:00:00Z", project: "b", featureName: "menu", createdByUserId: 2 })
    .event({ createdAt: "2026-01-03T10:00:00Z", project: "a", featureName: "cart", type: "feature-archived" })
    .event({ createdAt: "2026-01-04T10:00:00Z", type: "segment-created", createdByUserId: 2 })
    .event({ createdAt: "2026-01-05T10:00:00Z", project: "secret", featureName: "hush", createdByUserId: 2 })
    .event({
      createdAt: "2026-01-06T10:00:00Z",
      project: "b",
      type: "project-updated",
      data: { n: "Needle" },
    })
    .event({ createdAt: "2026-01-07T10:00:00Z", project: "a", featureName: "a,b", createdByUserId: null });

const finds = (url: string, ids: number[], total = ids.length, as = personal(1)) => ({
  name: `${url || "nothing"} finds ${ids.join(", ") || "none"}, as ${as === SERVICE ? "a service" : as.at(-1)}`,
  url,
  as,
  given: withLog,
  see: (body: Body) => assert.deepEqual([idsOf(body), body.total], [ids, total]),
});

scenarios(`GET ${SEARCH}`, [
  { name: "an empty log", see: (body) => assert.deepEqual(body, { events: [], total: 0 }) },
  finds("", [7, 6, 5, 4, 3, 2, 1]),
  finds("", [7, 6, 5, 4, 3, 2, 1], 7, SERVICE),
  finds("?limit=2", [7, 6], 7),
  finds("?limit=2&offset=6", [1], 7),
  finds("?offset=7", [], 7),
  finds("?limit=0&offset=-1", [7, 6, 5, 4, 3, 2, 1]),
  finds("?limit=1001&offset=x", [7, 6, 5, 4, 3, 2, 1]),
  finds("?type=IS:segment-created", [4]),
  finds("?type=IS_ANY_OF:segment-created,feature-archived", [4, 3]),
  finds("?type=IS:no-such-type", []),
  finds("?project=IS:a", [7, 3, 1]),
  finds("?project=IS_ANY_OF:a,b,a&limit=3&offset=1", [6, 3, 2], 5),
  finds("?project=IS:a&type=IS:feature-created", [7, 1]),
  finds("?project=IS:", [7, 6, 5, 4, 3, 2, 1]),
  finds("?feature=IS:cart", [3, 1]),
  finds("?feature=IS_ANY_OF:cart,menu&limit=1&offset=1", [2], 3),
  finds("?feature=IS:cart&project=IS:b", []),
  finds("?createdBy=IS:2", [5, 4, 2]),
  finds("?createdBy=IS_ANY_OF:1,2,2&type=IS:feature-created&limit=2", [5, 2], 3),
  finds("?createdBy=IS:2&project=IS:b", [2]),
  finds("?createdBy=IS:99999", []),
  finds("?from=IS:2026-01-06", [7, 6]),
  finds("?to=IS:2026-01-01", [1]),
  finds("?from=IS:2026-01-02&to=IS:2026-01-03", [3, 2]),
  finds("?from=IS:2026-01-03&to=IS:2026-01-02", []),
  finds("?from=IS:2026-01-02&project=IS:a&createdBy=IS:1", [3]),
  finds("?query=nEEdle", [6, 1]),
  finds("?query=needle&project=IS:a", [1]),
  finds("?query=needle&project=IS_ANY_OF:a,b&from=IS:2026-01-02", [6]),
  finds("?query=needle&limit=1&offset=1", [1], 2),
  finds("?query=needle&type=IS:no-such-type", []),
  finds("?query=feature&createdBy=IS:2", [5, 2]),
  finds("?nosuch=IS:x&feature=IS:menu", [2]),
  // Members see private projects, Admins see events without a project.
  finds("", [7, 6, 3, 2, 1], 5, personal(3)),
  finds("?createdBy=IS:2", [2], 1, personal(3)),
  finds("?type=IS:segment-created", [], 0, personal(2)),
  finds("?feature=IS:hush", [], 0, personal(3)),
  finds("?query=feature-created", [7, 2, 1], 3, personal(3)),
  finds("?project=IS:secret", [], 0, personal(3)),
  ...(
    [
      ["type=feature-created", "query.type"],
      ["project=default", "query.project"],
      ["feature=IS_NOT:cart", "query.feature"],
      ["createdBy=IS:abc", "query.createdBy"],
      ["createdBy=IS:1%20OR%201", "query.createdBy"],
      ["from=2024", "query.from"],
      ["from=IS:nonsense", "query.from"],
      ["to=IS:2026-02-30", "query.to"],
      [`query=${"x".repeat(1001)}`, "query.query"],
    ] as const
  ).map(([query, property]) => ({
    name: `${query.slice(0, 30)} is refused`,
    url: `?${query}`,
    expect: [400, "ValidationError"] as [number, string],
    see: (body: { message: string; details: Array<{ message: string }> }) =>
      assert.ok(JSON.stringify(body).includes(property), JSON.stringify(body)),
  })),
]);

test("a text with too many matches can still be paged, without an exact total", async (t) => {
  const world = createWorld().project("a");
  for (let count = 0; count < 1500; count++) world.event({ project: "a", createdByUserId: 1 + (count % 2) });
  const { request } = await openServer(t, world);
  const find = async (url: string) => (await request(`${SEARCH}?query=created&${url}`)).body as Body;
  const first = await find("limit=1000");
  assert.deepEqual([first.events.length, first.total], [1000, 1001]);
  const last = await find("limit=1000&offset=1000");
  assert.deepEqual([last.events.length, last.total], [500, 1500], "the total is known on the last page");
  const odd = await find("createdBy=IS:2&limit=2&offset=749");
  assert.deepEqual([idsOf(odd), odd.total], [[2], 750]);
});

test("pages by every criterion equal the same filter on the whole log", async (t) => {
  const world = createWorld().project("a").project("b");
  const types = ["feature-created", "feature-archived", "feature-revived"];
  for (let count = 0; count < 300; count++)
    world.event({
      type: types[count % 3],
      project: ["a", "b", null][(count % 7) % 3] ?? null,
      createdByUserId: count % 5,
      featureName: `f${count % 4}`,
    });
  const { request } = await openServer(t, world);
  const { body: all } = await request(`${SEARCH}?limit=1000`);
  type Found = {
    id: number;
    type: string;
    project: string | null;
    createdByUserId: number;
    featureName: string;
  };
  const isAmong = (list: string, value: unknown) => list === "" || list.split(",").includes(String(value));
  for (const type of ["", types[0]!, types.slice(1).join()])
    for (const project of ["", "a", "a,b"])
      for (const createdBy of ["", "3", "0,1"])
        for (const feature of ["", "f1,f2"]) {
          const expected = all.events.filter(
            (event: Found) =>
              isAmong(type, event.type) &&
              isAmong(project, event.project) &&
              isAmong(createdBy, event.createdByUserId) &&
              isAmong(feature, event.featureName),
          );
          const criteria = Object.entries({ type, project, createdBy, feature })
            .map(([key, list]) => `${key}=IS_ANY_OF:${list}`)
            .join("&");
          const { body } = await request(`${SEARCH}?${criteria}&limit=10&offset=3`);
          assert.equal(body.total, expected.length, criteria);
          assert.deepEqual(idsOf(body), idsOf({ events: expected.slice(3, 13), total: 0 }), criteria);
        }
});
