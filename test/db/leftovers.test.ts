import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, test } from "node:test";
import { DataError } from "../../src/db/error.ts";
import { close, open } from "../../src/db/open.ts";
import { temporaryFolder } from "../cli/run-cli.ts";

describe("a missing file", () => {
  for (const [left, what] of [
    ["-wal", "a log"],
    ["-shm", "the index of a log"],
    [".unfinished", "an unfinished restore"],
    [".before-restore-2026-01-31T09-00-00-000Z", "a file that was set aside"],
  ] as const) {
    for (const isThere of [false, true]) {
      test(`is not created beside ${what}${isThere ? ", nor is an empty one filled" : ""}`, (t) => {
        const data = path.join(temporaryFolder(t), "flags.db");
        fs.writeFileSync(data + left, "content");
        if (isThere) fs.writeFileSync(data, "");
        assert.throws(
          () => open(data),
          (error: Error) => {
            assert.ok(error instanceof DataError);
            assert.ok(
              error.message.startsWith(
                `${data} is missing, but its leftovers are still there: flags.db${left}`,
              ),
            );
            return true;
          },
        );
        assert.equal(fs.readFileSync(data + left, "utf8"), "content");
      });
    }
  }

  test("is created beside an empty log and unrelated files", (t) => {
    const data = path.join(temporaryFolder(t), "flags.db");
    fs.writeFileSync(`${data}-wal`, "");
    fs.writeFileSync(`${data}.before-schema-2`, "content");
    fs.writeFileSync(`${data}2-wal`, "content");
    close(open(data));
  });
});
