/*
 * A test of `npm test` that kills servers, with many more rounds.
 */

process.env.KILL_ROUNDS ??= "50";

await import("../db/kill-http.test.ts");
