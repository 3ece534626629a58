import { CLI } from "../access/actor.ts";
import { createSignInLink } from "../access/session.ts";
import { write } from "../events/write.ts";
import { toJson } from "../lib/raw-json.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { rootRoleNamed, rootRoles } from "../people/roles.ts";
import { createUser, isTaken, users } from "../people/users-store.ts";
import { type Command, JSON_OPTION } from "./command.ts";
import { ownUrl } from "./health.ts";
import { requireAddress, requireName, requireUser, requireUsername } from "./name.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { table } from "./output.ts";
import { publicUrl } from "./serve.ts";
import { withFile, withFileToRead } from "./with-file.ts";

export const userCreate: Command = {
  name: "user create",
  summary: "Create a user",
  usage: "USERNAME",
  arity: [1, 1],
  example: "user create edith --email edith@example.com --role Editor",
  settings: ["data"],
  options: {
    email: { type: "string", hint: "ADDRESS", help: "the e-mail address" },
    name: { type: "string", hint: "NAME", help: "the full name" },
    role: { type: "string", hint: "ROLE", help: "the root role by name (Viewer)" },
    ...JSON_OPTION,
  },
  run: ({ args: [given = ""], config, options, print }) =>
    withFile(config, (db) => {
      const { name = null, role = "Viewer", ...others } = options as Record<string, string | undefined>;
      const username = requireUsername(given);
      const email = others.email === undefined ? null : requireAddress(others.email);
      if (name !== null) requireName(name);
      const rootRole = rootRoleNamed(db, role);
      if (!rootRole) throw new UsageError(`--role: ${role} must be one of ${namesOf(rootRoles(db))}`);
      for (const taken of [username, email ?? username]) {
        if (isTaken(db, taken))
          throw new Error(`There is already a user ${taken}, or one that looks the same`);
      }
      const id = write(db, CLI, (tx) => createUser(tx, { username, email, name, rootRole: rootRole.id }));
      print(
        options.json
          ? JSON.stringify({ id, username })
          : `Created the user ${printable(username)} with the id ${id}`,
      );
    }),
};

export const userList: Command = {
  name: "user list",
  summary: "List the users",
  example: "user list",
  settings: ["data"],
  options: JSON_OPTION,
  run: ({ config, options, print }) =>
    withFileToRead(config, (db) => {
      const all = users(db);
      if (options.json) return print(toJson(all));
      const rows = all.map(({ id, username, email = null, name, role }) => ({
        id,
        username,
        email,
        name,
        role,
      }));
      for (const line of table(rows, ["id", "username", "email", "name", "role"])) print(line);
    }),
};

export const userLink: Command = {
  name: "user link",
  summary: "Print a link that signs a user in; it works once, within 30 minutes",
  usage: "USER",
  arity: [1, 1],
  example: "user link admin",
  settings: ["data", "host", "port", "base-path", "public-url", "tls-cert"],
  options: OPEN_OPTION,
  run: (context) =>
    withFile(context.config, (db) => {
      const [name = ""] = context.args;
      const { id, accountType } = requireUser(db, name);
      if (accountType !== "User") throw new Error(`${name} is a service account, which can't sign in`);
      const link =
        publicUrl(context.config, ownUrl(context.config)) + write(db, CLI, (tx) => createSignInLink(tx, id));
      context.print(link);
      openIfRequested(context, link);
    }),
};

const namesOf = (roles: ReadonlyArray<{ name: string }>) => roles.map(({ name }) => name).join(", ");
