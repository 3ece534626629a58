import { getRawAsset } from "node:sea";

/** The native part, which lies beside the program in its executable (scripts/package.ts) and need not be unpacked. */
// biome-ignore lint/style/noDefaultExport: it stands for a file of bytes, which has no names
export default new Uint8Array(getRawAsset("addon.node"));
