/*
 * The randomized tests of `npm test`, with many more rounds.
 */

process.env.MODEL_RUNS ??= "100";
process.env.CHANGE_RUNS ??= "50";
process.env.ANSWERS_RUNS ??= "10";

await import("../model/model.test.ts");
await import("../model/change.test.ts");
await import("../http/response-cache.test.ts");
await import("../http/response-cache-changes.test.ts");
