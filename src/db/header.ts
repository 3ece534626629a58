import fs from "node:fs";

/** The length of SQLite's header, in which all fields below have fixed offsets. */
const HEADER_BYTES = 100;

/** The first bytes of every SQLite database. */
const MAGIC = Buffer.from("SQLite format 3\0");

/** Reads the header without opening the file as a database; a shorter file is padded with zeros. */
export function readHeader(file: string) {
  const bytes = Buffer.alloc(HEADER_BYTES);
  const fd = fs.openSync(file, "r");
  try {
    fs.readSync(fd, bytes);
  } finally {
    fs.closeSync(fd);
  }
  return {
    isDatabase: bytes.subarray(0, MAGIC.length).equals(MAGIC),
    isWriteAhead: bytes[19] === 2,
    userVersion: bytes.readInt32BE(60),
    applicationId: bytes.readInt32BE(68),
  };
}
