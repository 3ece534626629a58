import { CLI } from "../access/actor.ts";
import { createSignInLink } from "../access/session-store.ts";
import { write } from "../events/write.ts";
import { printable } from "../lib/text.ts";
import { UsageError } from "../lib/usage-error.ts";
import { rootRoleNamed, rootRoles } from "../people/roles.ts";
import { factorOf, removeFactor } from "../people/second-factor-store.ts";
import { Email, Username } from "../people/users-schema.ts";
import { createUser, isTaken, users } from "../people/users-store.ts";
import { command, JSON_OPTION } from "./command.ts";
import { dataFile, dataFileToRead } from "./data-file.ts";
import { ownUrl } from "./health.ts";
import { checkedOr, requireName, requireUser } from "./name.ts";
import { OPEN_OPTION, openIfRequested } from "./open-browser.ts";
import { printList, printResult } from "./output.ts";
import { publicUrl } from "./serve.ts";

export const userCreate = command({
  name: "user create",
  summary: "Create a user",
  usage: "USERNAME",
  example: "user create edith --email edith@example.com --role Editor",
  settings: ["data"],
  options: {
    email: { hint: "ADDRESS", help: "the e-mail address" },
    name: { hint: "NAME", help: "the full name" },
    role: { hint: "ROLE", help: "the root role by name (Viewer)" },
    ...JSON_OPTION,
  },
  run(context) {
    using db = dataFile(context.config);
    const { name = null, role = "Viewer" } = context.options;
    const username = requireUsername(context.args[0]!);
    const email = requireAddress(context.options.email);
    if (name !== null) requireName(name);
    const rootRole = rootRoleNamed(db, role);
    const names = () => rootRoles(db).map((one) => one.name);
    if (!rootRole) throw new UsageError(`--role: ${role} must be one of ${names().join(", ")}`);
    const taken = [username, email ?? username].find((one) => isTaken(db, one));
    if (taken !== undefined) throw new Error(`There is already a user ${taken}, or one that looks the same`);
    const id = write(db, CLI, (tx) => createUser(tx, { username, email, name, rootRole: rootRole.id }));
    printResult(context, { id, username }, `Created the user ${printable(username)} with the id ${id}`);
  },
});

const requireUsername = (given: string) =>
  checkedOr(Username, given, (wrong) => `${JSON.stringify(given)}: a username ${wrong}`);

/** An e-mail address as the API stores it. */
function requireAddress(given: string | undefined) {
  const rule = `--email: ${JSON.stringify(given)} must be an e-mail address such as edith@example.com`;
  return given === undefined ? null : checkedOr(Email, given, () => rule);
}

export const userList = command({
  name: "user list",
  summary: "List the users",
  example: "user list",
  settings: ["data"],
  options: JSON_OPTION,
  run(context) {
    using db = dataFileToRead(context.config);
    printList(context, users(db), ["id", "username", "email", "name", "role"]);
  },
});

export const userReset = command({
  name: "user reset-second-factor",
  summary: "Remove a user's second factor, for those who have lost theirs",
  usage: "USER",
  example: "user reset-second-factor edith",
  settings: ["data"],
  run({ args: [name = ""], config, print }) {
    using db = dataFile(config);
    const user = requireUser(db, name);
    if (!factorOf(db, user.id)) throw new Error(`${name} has no second factor`);
    write(db, CLI, (tx) => removeFactor(tx, user));
    print(`Removed the second factor of ${printable(name)}`);
  },
});

export const userLink = command({
  name: "user link",
  summary: "Print a link that signs a user in; it works once, within 30 minutes",
  usage: "USER",
  example: "user link admin",
  settings: ["data", "host", "port", "base-path", "public-url", "tls-cert"],
  options: OPEN_OPTION,
  run(context) {
    const {
      args: [name = ""],
      config,
      print,
    } = context;
    using db = dataFile(config);
    const { id, accountType } = requireUser(db, name);
    if (accountType !== "User") throw new Error(`${name} is a service account, which can't sign in`);
    const link = publicUrl(config, ownUrl(config)) + write(db, CLI, (tx) => createSignInLink(tx, id));
    print(link);
    openIfRequested(context, link);
  },
});
