import { restore } from "../../src/db/backup.ts";

// Restores the second file from the first.
const [backup = "", data = ""] = process.argv.slice(2);
restore(backup, data, { now: new Date(), pid: process.pid });
