// Runs before the first import in a checkout: checks the version of Node, and loads `.sql` files as text.
// The bundle does not need it: esbuild embeds the text.
import fs from "node:fs";
import * as module from "node:module";

process.on("SIGUSR1", () => {}); // would open Node's debugger

const MINIMUM = "22.18.0";
if (process.versions.node.localeCompare(MINIMUM, "en", { numeric: true }) < 0) {
  process.stderr.write(
    `Flagstone needs Node ${MINIMUM} or newer and this is ${process.versions.node}: ` +
      "run `npm ci` with optional packages, which installs its own Node, then `npm start`.\n",
  );
  process.exit(2);
}

module.enableCompileCache(); // the tests start hundreds of processes

module.registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(".sql")) return nextLoad(url, context);
    const text = fs.readFileSync(new URL(url), "utf8");
    return { format: "module", source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
  },
});
