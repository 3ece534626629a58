import fs from "node:fs";
import { CLI } from "../../src/access/actor.ts";
import { open } from "../../src/db/open.ts";
import { write } from "../../src/events/write.ts";
import { createUser } from "../../src/people/users-store.ts";

// Creates users, each with an event, and acknowledges each once stored, until it is killed.
const [file = "", round = ""] = process.argv.slice(2);
const db = open(file);
for (let count = 0; ; count++) {
  const username = `${round}-${count}`;
  write(db, CLI, (tx) => createUser(tx, { username, name: null, email: null, rootRole: 3 }));
  fs.writeSync(1, `${username}\n`);
}
