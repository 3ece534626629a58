import type { Context } from "./command.ts";
import { plural } from "./plural.ts";

type Shown = Pick<Context, "world" | "config">;

const isShown = ({ world, config }: Shown) => world.stderr.isTTY && !config.quiet;

/** Lines read so far, on a terminal, some times a second. */
export function progressOn(context: Shown): (lines: number) => void {
  if (!isShown(context)) return () => {};
  let shownAt = 0;
  return (lines) => {
    if (Date.now() - shownAt < 200) return;
    shownAt = Date.now();
    context.world.stderr.write(`\r${lines.toLocaleString("en")} ${plural(lines, "line")} read`);
  };
}

/** Takes the progress off the terminal, for what comes next. */
export function endProgress(context: Shown) {
  if (isShown(context)) context.world.stderr.write("\r\u001b[K");
}
