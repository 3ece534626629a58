#!/usr/bin/env node
import { run } from "./cli/run.ts";

// Node would open its debugger on this signal, to whoever is on the machine. The executable has it off from its first
// moment; a checkout from its second (scripts/preload.mjs).
process.on("SIGUSR1", () => {});

const { stdin, stdout, stderr, env, pid } = process;
const once = process.once.bind(process);
run({ argv: process.argv.slice(2), stdin, stdout, stderr, env, pid, once }).then((code) => {
  process.exitCode = code;
});
