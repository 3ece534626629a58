/*
 * The tests of `npm test` that kill servers, with many more rounds.
 */

process.env.KILL_ROUNDS ??= "50";

await import("../db/kill.test.ts");
await import("../db/kill-http.test.ts");
