import fs from "node:fs";
import path from "node:path";
import { bundle, DIST } from "./bundle.ts";

// `npm run build`: dist/flagstone.cjs and its assets, for the current Node and platform.
const outfile = path.join(DIST, "flagstone.cjs");
const { assets } = await bundle(`${process.platform}-${process.arch}`, outfile);
process.stdout.write(`${outfile} ${(fs.statSync(outfile).size / 1e6).toFixed(1)} MB, with ${assets}\n`);
