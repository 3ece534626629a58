// Kills the process before its file operation number STEP, counted from 1; preloaded by restore-killed.test.ts.
import fs from "node:fs";

const STEPS = ["copyFileSync", "linkSync", "renameSync", "rmSync", "fsyncSync"];
let left = Number(process.env.STEP);
for (const name of STEPS) {
  const step = fs[name];
  fs[name] = (...args) => {
    if (--left === 0) process.kill(process.pid, "SIGKILL");
    return step(...args);
  };
}
