/*
 * A test of `npm test` that kills processes while they write, with many more rounds.
 */

process.env.KILL_ROUNDS ??= "50";

await import("../db/kill.test.ts");
