import { spawn } from "node:child_process";
import { once } from "node:events";
import os from "node:os";
import type { World } from "./command.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs a command with the terminal that this one has; what it is told to do by a signal is passed on.
 * @returns its exit code, and 128 and the number of the signal that ended it, as shells have it.
 */
export async function runChild(
  world: World,
  [command = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const isWindows = os.platform() === "win32"; // npm and the like are scripts there, which only a shell runs
  const child = spawn(command, args, { stdio: "inherit", env: { ...world.env, ...env }, shell: isWindows });
  let isRunning = true;
  const pass = (signal: NodeJS.Signals) =>
    world.once(signal, () => {
      if (!isRunning) return;
      if (!isFromTerminal(world, signal)) child.kill(signal);
      pass(signal);
    });
  for (const signal of SIGNALS) pass(signal);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + os.constants.signals[signal!];
  } catch (error) {
    world.stderr.write(`flagstone: ${command} can't be run: ${(error as NodeJS.ErrnoException).code}\n`);
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? 127 : 126;
  } finally {
    isRunning = false;
  }
}

/** The terminal sends this one to all that run in it. */
const isFromTerminal = ({ stdin }: World, signal: NodeJS.Signals) =>
  signal === "SIGINT" && "isTTY" in stdin && stdin.isTTY === true;
