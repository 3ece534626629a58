import { spawn } from "node:child_process";
import os from "node:os";
import type { Context } from "./command.ts";

export const OPEN_OPTION = { open: { help: "open the link in a browser" } } as const;

/** The program that opens a URL in a browser, and its first arguments; elsewhere `xdg-open`. No shell is involved. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32.exe", "url.dll,FileProtocolHandler"],
};

/** Opens a URL in a browser if requested; a failure is only logged. */
export function openIfRequested({ options, world, log }: Context<typeof OPEN_OPTION>, url: string) {
  world.showLink?.(url);
  if (!options.open) return;
  const [program, ...firstArgs] = OPENERS[os.platform()] ?? ["xdg-open"];
  const child = spawn(program, [...firstArgs, url], { env: world.env, stdio: "ignore", detached: true });
  const warn = (reason: string) =>
    log({ level: "warn", message: `could not open a browser: ${program} ${reason}` });
  child.once("error", () => warn("can't be run"));
  child.once("exit", (code) => code && warn(`exited with ${code}`));
  child.unref();
}
