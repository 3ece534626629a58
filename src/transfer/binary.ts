const UNPACK = "unpack it first";

/** The first bytes of non-text formats, and what to do with such a file. */
const BEGINNINGS: ReadonlyArray<[bytes: string, what: string]> = [
  ["SQLite format 3\0", "this is a database: use flagstone restore, or serve it with --data"],
  ["\u001f\u008b", `this is a gzip file: ${UNPACK}`],
  ["PK\u0003\u0004", `this is a zip archive: ${UNPACK}`],
  ["BZh", `this is a bzip2 file: ${UNPACK}`],
  ["\u00fd7zXZ\0", `this is an xz file: ${UNPACK}`],
  ["\u0028\u00b5\u002f\u00fd", `this is a zstd file: ${UNPACK}`],
  ["\u00ff\u00fe", "this is UTF-16: save it as UTF-8"],
  ["\u00fe\u00ff", "this is UTF-16: save it as UTF-8"],
  ["{\0", "this is UTF-16: save it as UTF-8"],
  ["\0{", "this is UTF-16: save it as UTF-8"],
];

/** The format of the bytes, judging by how they begin, and what to do with it; undefined if they may be text. */
export function binaryFormat(bytes: Buffer): string | undefined {
  const begin = bytes.toString("latin1", 0, 512);
  if (begin.startsWith("ustar", 257)) return `this is a tar archive: ${UNPACK}`;
  return BEGINNINGS.find(([known]) => begin.startsWith(known))?.[1];
}
