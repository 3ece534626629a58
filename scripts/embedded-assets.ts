import fs from "node:fs";
import { getRawAsset, isSea } from "node:sea";

/** Takes the place of src/lib/assets.ts in a bundle: an executable contains its assets, other bundles have them in a folder. */
export const asset = (name: string): Buffer =>
  isSea()
    ? Buffer.from(getRawAsset(name))
    : fs.readFileSync(`${__filename.replace(/\.cjs$/, "")}-assets/${name}`);
