import fs from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

/*
 * Loaded into a process under test, before the program: reports what it has used, over the IPC channel.
 */

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let before = process.cpuUsage();

function usage() {
  const { user, system } = process.cpuUsage(before);
  const at = (part) => delay.percentile(part) / 1e6;
  const loopDelay = { p50: at(50), p99: at(99), max: at(100) };
  const peak = process.resourceUsage().maxRSS * 1024;
  process.send({ cpu: user + system, memory: privateBytes(), peak, loopDelay });
  before = process.cpuUsage();
  delay.reset();
}

function privateBytes() {
  const status = fs.existsSync("/proc/self/status") ? fs.readFileSync("/proc/self/status", "utf8") : "";
  const kilobytes = /RssAnon:\s+(\d+)/.exec(status)?.[1];
  return kilobytes ? Number(kilobytes) * 1024 : process.memoryUsage.rss();
}

process.on("message", (order) => order === "usage" && usage());
process.once("beforeExit", usage); // of a command
process.once("disconnect", () => process.exit()); // when the bench exits
process.channel.unref();
