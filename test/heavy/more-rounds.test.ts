/*
 * The randomized tests of `npm test`, with many more rounds.
 */

process.env.MODEL_RUNS ??= "200";
process.env.CHANGE_RUNS ??= "100";
process.env.ANSWERS_RUNS ??= "20";

await import("../model/model.test.ts");
await import("../model/change.test.ts");
await import("../http/response-cache.test.ts");
await import("../http/response-cache-changes.test.ts");
