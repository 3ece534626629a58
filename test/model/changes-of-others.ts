import type { Before, Outcome } from "./changes.ts";
import type { Line } from "./dataset.ts";
import { isAdmin, mayCreateProjects } from "./permissions.ts";

const all = (lines: Line[], kind: string) => lines.filter((line) => line.kind === kind);
const isText = (value: unknown): value is string => typeof value === "string";
const isTextOrNull = (value: unknown) => value === null || isText(value);

/** Text that is used in a path unchanged. */
export const isUrlName = (value: unknown) =>
  isText(value) && /^[\w.~!*'()-]{1,100}$/.test(value) && !/^\.{1,2}$/.test(value);

export function createProject({ lines, caller, now }: Before, body: Line): Outcome {
  if (!mayCreateProjects(lines, caller)) return { status: 403 };
  const inOrder = all(lines, "environment").toSorted(
    (a, b) => a.sortOrder - b.sortOrder || (a.name < b.name ? -1 : 1),
  );
  const known = inOrder.map(({ name }) => name);
  const { name, description = null, mode = "open", environments = known } = body;
  const given = isText(body.id) && body.id.trim() === "" ? undefined : body.id;
  const isRight =
    (given === undefined || isUrlName(given)) &&
    isText(name) &&
    name.trim() !== "" &&
    isTextOrNull(description) &&
    ["open", "protected", "private"].includes(mode) &&
    Array.isArray(environments) &&
    environments.length > 0 &&
    environments.every((one) => known.includes(one));
  if (!isRight) return { status: 400 };
  const id = given ?? freeId(lines, name);
  if (isProject(lines, id)) return { status: 409 };
  const data = { id, name, description, defaultStickiness: "default" };
  const project = { kind: "project", id, name, mode, createdAt: now, environments };
  const owner = { kind: "projectRole", project: id, role: 4, user: caller.userId };
  return {
    status: 201,
    events: [{ type: "project-created", project: id, data }],
    lines: [...lines, project, ...(caller.userId === null ? [] : [owner])],
  };
}

const isProject = (lines: Line[], id: string) => all(lines, "project").some((project) => project.id === id);

/** Derived from the name, with a number appended if it is taken. */
function freeId(lines: Line[], name: string) {
  const slug =
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
      .replaceAll(/^-|-$/g, "") || "project";
  const ids = [slug, ...Array.from(lines, (_, index) => `${slug}-${index + 2}`)];
  return ids.find((id) => !isProject(lines, id));
}

export function createUser({ lines, caller, now }: Before, body: Line): Outcome {
  if (!isAdmin(lines, caller)) return { status: 403 };
  const { username = null, name = null, rootRole } = body;
  const email = isText(body.email) ? body.email.toLowerCase() : (body.email ?? null);
  const isRight =
    isTextOrNull(username) &&
    username !== "" &&
    (email === null || (isText(email) && email.includes("@"))) &&
    isTextOrNull(name) &&
    (username ?? email) !== null &&
    [1, 2, 3, 6].includes(rootRole);
  if (!isRight || isTaken(lines, username) || isTaken(lines, email)) return { status: 400 };
  const id = Math.max(...all(lines, "user").map((user) => user.id)) + 1;
  const given = Object.entries({ name, username, email }).filter(([, value]) => value !== null);
  const names = Object.fromEntries(given);
  const user = { kind: "user", id, ...names, accountType: "User", rootRole, createdAt: now };
  return {
    status: 201,
    events: [{ type: "user-created", data: { id, ...names, rootRole } }],
    lines: [...lines, user],
  };
}

/** A username must not be another user's e-mail address, compared case-insensitively. */
const isTaken = (lines: Line[], name: string | null) =>
  name !== null &&
  all(lines, "user").some(
    (user) => user.username === name || user.email?.toLowerCase() === name.toLowerCase(),
  );

export function createToken({ lines, caller: { userId } }: Before, body: Line): Outcome {
  const { description, expiresAt } = body;
  if (
    !isText(description) ||
    description === "" ||
    !isText(expiresAt) ||
    !(Date.parse(expiresAt) > Date.now())
  )
    return { status: 400 };
  const mine = all(lines, "token").filter((token) => token.userId === userId);
  if (userId === null) return { status: 403 };
  if (mine.some(({ name }) => name === description)) return { status: 409 };
  if (mine.length >= 10) return { status: 403 };
  const token = { kind: "token", type: "user", name: description, userId, expiresAt };
  const data = { description, expiresAt, secret: "***" };
  return { status: 201, events: [{ type: "pat-created", data }], lines: [...lines, token] };
}
