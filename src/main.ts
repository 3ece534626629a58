#!/usr/bin/env node
import { run } from "./cli/run.ts";

// Node would open its debugger on this signal, to anyone on the machine. The executable disables that from the very
// start, a checkout a moment later (scripts/preload.mjs).
process.on("SIGUSR1", () => {});

const { argv, stdin, stdout, stderr, env, pid } = process;

run({ argv: argv.slice(2), stdin, stdout, stderr, env, pid, once: process.once.bind(process) }).then(
  (code) => {
    process.exitCode = code;
  },
);
