import assert from "node:assert/strict";
import { test } from "node:test";
import { createLog, LOG_LEVELS, type LogFormat, type LogLevel, type LogLine } from "../../src/lib/logger.ts";

/** The text written for a line, without its time. */
function written(line: LogLine, format: LogFormat = "pretty", level: LogLevel = "debug") {
  let text = "";
  createLog((part) => (text += part), format, level)(line);
  return text.replace(/^\S+Z /, "");
}

test("a plain line is minimal", () => {
  const line = {
    level: "info",
    message: "No flag x",
    status: 404,
    path: "/api/a-b.c",
    none: undefined,
  } as const;
  assert.equal(written(line), "info  No flag x status=404 path=/api/a-b.c\n");
});

for (const [name, message, shown] of [
  ["an end of line", "x\n2026-01-01T00:00:00.000Z info done", "x\\n2026-01-01T00:00:00.000Z info done"],
  ["an escape sequence", "x\u001b[2J\u009b31m", "x\\u001b[2J\\u009b31m"],
  ["a direction override", "x\u202e\u2066", "x\\u202e\\u2066"],
  ["a forged status", "x status=200", '"x status=200"'],
  ["a quotation at the beginning", '"x" is new', '"\\"x\\" is new"'],
] as const) {
  test(`a message with ${name} can't forge anything`, () => {
    assert.equal(written({ level: "info", message, status: 404 }), `info  ${shown} status=404\n`);
  });
}

for (const [value, shown] of [
  ["a b", '"a b"'],
  ["x status=200", '"x status=200"'],
  ["x\nstatus=200", '"x\\nstatus=200"'],
  ["x\u001b[31m\u009b", "x\\u001b[31m\\u009b"],
  ['"', '"\\""'],
  ["\\n", '"\\\\n"'],
  ["", '""'],
] as const) {
  test(`the detail ${JSON.stringify(value)} is shown as ${shown}`, () => {
    assert.equal(written({ level: "info", message: "m", name: value }), `info  m name=${shown}\n`);
  });
}

test("JSON stays JSON, with control characters escaped", () => {
  const line = { level: "info", message: "x\n\u001b\u009b\u202e" } as const;
  const text = written(line, "json");
  assert.match(text, /^[\x20-\x7e]+\n$/);
  assert.equal(JSON.parse(text).message, line.message);
});

for (const level of LOG_LEVELS) {
  test(`the level ${level} shows its lines and more important ones`, () => {
    const told = LOG_LEVELS.filter((one) => written({ level: one, message: "m" }, "json", level) !== "");
    assert.deepEqual(told, LOG_LEVELS.slice(0, LOG_LEVELS.indexOf(level) + 1));
  });
}
