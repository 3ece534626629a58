import fs from "node:fs";

/** How long SQLite's is, in which all below stands at fixed places. */
const HEADER_BYTES = 100;

/** What a file begins with if it is an SQLite database. */
const MAGIC = Buffer.from("SQLite format 3\0");

/** What a file says of itself without being opened as a database; zeros stand for what a shorter one lacks. */
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
