import path from "node:path";
import type { TestContext } from "node:test";
import { close, open } from "../../src/db/open.ts";
import { temporaryFolder } from "../cli/run-cli.ts";

/** A new, open data file, which is closed and removed after the test. */
export function openFile(t: TestContext) {
  const file = path.join(temporaryFolder(t), "test.db");
  const db = open(file);
  t.after(() => close(db));
  return { db, file };
}
