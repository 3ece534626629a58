import fs from "node:fs";
import path from "node:path";

/** Linux's magic numbers of network file systems (statfs(2)); other systems use different numbers. */
const NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, "NFS"],
  [0x517b, "SMB"],
  [0xfe534d42, "SMB"],
  [0xff534d42, "CIFS"],
  [0x01021997, "9p"],
  [0x5346414f, "AFS"],
  [0x00c36400, "Ceph"],
  [0x0bd00bd0, "Lustre"],
]);

/** The name of the network file system that holds the file; undefined if it is local, or can't be determined. */
export function networkFileSystem(file: string, statfs: typeof fs.statfsSync = fs.statfsSync) {
  if (process.platform !== "linux") return undefined;
  return NETWORK.get(statfs(path.dirname(path.resolve(file))).type >>> 0);
}
