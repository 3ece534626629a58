import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";
import { contentOf, runHere, serveHere } from "../cli/run-cli.ts";
import { newFile, pull } from "./source.ts";

type Line = Record<string, unknown>;

/** The lines of a data file without secrets, but for kinds that never come along, and times of a project's change. */
const linesIn = (file: string): Line[] =>
  contentOf(file, { withSecrets: false })
    .trimEnd()
    .split("\n")
    .map((line): Line => ({ ...JSON.parse(line), updatedAt: undefined, hash: undefined }))
    .filter(({ kind }) => !["dataset", "notification", "token", "eventSeal"].includes(kind as string));

/** As it comes along: favourites of others and strategies of archived flags are not told. */
function asTold(line: Line): Line {
  const favoritedBy = (line.favoritedBy as number[] | undefined)?.filter((id) => id === 1);
  const told = { ...line, ...(favoritedBy && { favoritedBy }) };
  if (line.kind !== "feature" || line.archivedAt === undefined) return told;
  const environments = (line.environments as Line[]).map((one) => ({ ...one, strategies: [], variants: [] }));
  return { ...told, environments };
}

test("all that a Flagstone tells comes along", async (t) => {
  const [from, to] = [newFile(t), newFile(t)];
  const dataset = `${from}.jsonl`;
  await runHere(["demo", "--export", dataset]);
  await runHere(["import", dataset, "--data", from]);
  const created = await runHere(["token", "create", "me", "--user", "1", "--json", "--data", from]);
  const { url } = await serveHere(t, ["serve", "--data", from]);
  const { code, stdout, stderr } = await pull(url, to, [], JSON.parse(created.stdout).secret);
  assert.equal(code, 0, stderr);
  const lines = linesIn(from);
  const flags = lines.filter(({ kind }) => kind === "feature");
  const names = new Set(flags.map(({ name }) => name));
  // The use of a flag that isn't there is told without its hours.
  const told = lines.filter(({ kind, feature }) => kind !== "usage" || names.has(feature));
  assert.deepEqual(linesIn(to), told.map(asTold));
  const archived = flags.filter(({ archivedAt }) => archivedAt !== undefined).length;
  const came = `featureToggles ${flags.length - archived}, archivedFeatureToggles ${archived}`;
  assert.match(stdout, new RegExp(`^all that http\\S+ says it has came: .*${came}$`, "m"));
  assert.match(stderr, /left out: 14 passwords: /);
  assert.equal(fs.existsSync(`${to}.pull`), false, "what was read is removed");
});
