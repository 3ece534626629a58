#!/usr/bin/env node
import { isSea } from "node:sea";
import { run } from "./cli/run.ts";
import { SECOND } from "./server/second-process.ts";
import { serveParent } from "./server/serve-parent.ts";

// Node would open its debugger on this signal, to anyone on the machine. The executable disables that from the very
// start, a checkout a moment later (scripts/preload.mjs).
process.on("SIGUSR1", () => {});

const { stdin, stdout, stderr, env, pid, execPath, execArgv } = process;
const [, script = "", ...argv] = process.argv;
const once = process.once.bind(process);
/** An executable contains its script. */
const program = isSea() ? [execPath] : [execPath, ...execArgv, script];

if (argv[0] === SECOND && process.channel) {
  const send = (message: object) => void process.send!(message, () => {}); // the server may have ended
  serveParent({ on: process.on.bind(process), once, send, exit: () => process.exit() });
} else {
  run({ argv, stdin, stdout, stderr, env, pid, program, once }).then((code) => {
    process.exitCode = code;
  });
}
