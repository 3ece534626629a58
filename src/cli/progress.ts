import type { Context } from "./command.ts";
import { plural } from "./plural.ts";

type Shown = Pick<Context, "world" | "config">;

const isShown = ({ world, config }: Shown) => world.stderr.isTTY && !config.quiet;

/** Shows the number of lines read on a terminal, several times per second. */
export function progressOn(context: Shown): (lines: number) => void {
  if (!isShown(context)) return () => {};
  let shownAt = 0;
  return (lines) => {
    if (Date.now() - shownAt < 200) return;
    shownAt = Date.now();
    context.world.stderr.write(`\r${lines.toLocaleString("en")} ${plural(lines, "line")} read`);
  };
}

/** Clears the progress from the terminal. */
export function endProgress(context: Shown) {
  if (isShown(context)) context.world.stderr.write("\r\u001b[K");
}
