import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import { reasonOf } from "../db/error.ts";
import type { World } from "./command.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command in this terminal and forwards signals to it.
 * @returns its exit code, or 128 plus the number of the signal that ended it, as in shells
 */
export async function runChild(
  world: World,
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const isWindows = os.platform() === "win32"; // there, npm and others are scripts, which need a shell
  const child = spawn(command, args, { stdio: "inherit", env: { ...world.env, ...env }, shell: isWindows });
  let isRunning = true;
  const forward = (signal: NodeJS.Signals) =>
    world.once(signal, () => {
      if (!isRunning) return;
      if (!isFromTerminal(world, signal)) child.kill(signal);
      forward(signal);
    });
  for (const signal of SIGNALS) forward(signal);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + os.constants.signals[signal!];
  } catch (error) {
    world.stderr.write(`flagstone: ${command} can't be run: ${reasonOf(error)}\n`);
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? 127 : 126;
  } finally {
    isRunning = false;
  }
}

/** The terminal already sends this signal to every process in it. */
const isFromTerminal = ({ stdin }: World, signal: NodeJS.Signals) =>
  signal === "SIGINT" && "isTTY" in stdin && stdin.isTTY === true;
