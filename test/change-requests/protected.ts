import type { TestContext } from "node:test";
import { type Call, openServer } from "../support/server.ts";
import { createWorld, personal } from "../support/world.ts";

/** Users: 1 an Admin, 2 the author, 3 an approver, 4 who may also apply; in the project `shop`, but for the Admin. */
export const ADMIN = personal(1);
export const AUTHOR = personal(2);
export const APPROVER = personal(3);
export const APPLIER = personal(4);

export const SHOP = "/api/admin/projects/shop";
export const REQUESTS = `${SHOP}/change-requests`;
export const PRODUCTION = `${SHOP}/features/checkout/environments/production`;
export const PROPOSE = `${SHOP}/environments/production/change-requests`;

export const ON = { feature: "checkout", action: "updateEnabled", payload: { enabled: true } };

const custom = (id: number, ...permissions: string[]) => ({
  id,
  name: `role ${id}`,
  type: "custom",
  permissions: permissions.map((name) => ({ name, environment: "production" })),
});

/** A project whose environment `production` needs approvals. */
export const protectedWorld = (approvals = 1) =>
  createWorld()
    .add("role", custom(6, "APPROVE_CHANGE_REQUEST"))
    .add("role", custom(7, "APPROVE_CHANGE_REQUEST", "APPLY_CHANGE_REQUEST"))
    .project("shop", { requiredApprovals: [{ environment: "production", approvals }] })
    .member("shop", 2, 4)
    .member("shop", 3, 6)
    .member("shop", 4, 7)
    .feature("checkout", "shop")
    .feature("search", "shop");

export async function openShop(t: TestContext, world = protectedWorld()) {
  const server = await openServer(t, world);
  const send = (method: string) => (path: string, as: string, body?: unknown) =>
    server.request(path, { method, as, ...(body !== undefined && { body }) } as Call);
  const [get, post, put, remove] = ["GET", "POST", "PUT", "DELETE"].map(send) as [
    ReturnType<typeof send>,
    ReturnType<typeof send>,
    ReturnType<typeof send>,
    ReturnType<typeof send>,
  ];
  /** @returns the id of the author's request with the changes, sent to review */
  const propose = async (changes: unknown, as = AUTHOR): Promise<number> => {
    const { id } = (await post(PROPOSE, as, changes)).body;
    await put(`${REQUESTS}/${id}/state`, as, { state: "In review" });
    return id;
  };
  const state = (id: number, as: string, body: object) => put(`${REQUESTS}/${id}/state`, as, body);
  const isOn = async () => (await get(PRODUCTION, ADMIN)).body.enabled as boolean;
  return { ...server, get, post, put, remove, propose, state, isOn };
}
