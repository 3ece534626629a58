#!/usr/bin/env node
import { isSea } from "node:sea";
import { run } from "./cli/run.ts";
import { runWorker } from "./server/worker.ts";
import { WORKER } from "./server/worker-process.ts";

// Node would open its debugger on this signal, to anyone on the machine. The executable disables that from the very
// start, a checkout a moment later (scripts/preload.mjs).
process.on("SIGUSR1", () => {});

const { stdin, stdout, stderr, env, pid, execPath, execArgv } = process;
const [, script = "", ...argv] = process.argv;
const once = process.once.bind(process);
/** An executable contains its script. */
const program = isSea() ? [execPath] : [execPath, ...execArgv, script];

if (argv[0] === WORKER && process.channel) {
  // Called back even if the server has ended.
  const send = (message: object, sent = () => {}) => void process.send!(message, sent);
  runWorker({ on: process.on.bind(process), once, send, exit: () => process.exit() });
} else {
  run({ argv, stdin, stdout, stderr, env, pid, program, once }).then((code) => {
    process.exitCode = code;
  });
}
