import { getRawAsset } from "node:sea";

/** The native addon, an asset of the executable next to the bundle (scripts/package.ts). */
// biome-ignore lint/style/noDefaultExport: it replaces a binary file, whose only export is the default
export default new Uint8Array(getRawAsset("addon.node"));
