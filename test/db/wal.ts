import fs from "node:fs";

const HEADER = 32;
const FRAME_HEADER = 24;

/**
 * The number of commits in the write-ahead log of a data file: the last frame of each holds the size of the file in pages
 * (SQLite's file format, "The WAL File Format").
 */
export function commitsIn(file: string): number {
  const wal = fs.readFileSync(`${file}-wal`);
  if (wal.length < HEADER) return 0;
  const frame = FRAME_HEADER + wal.readUInt32BE(8);
  const salt = wal.subarray(16, 24);
  const starts = Array.from(
    { length: Math.floor((wal.length - HEADER) / frame) },
    (_, n) => HEADER + n * frame,
  );
  return starts.filter((at) => salt.equals(wal.subarray(at + 8, at + 16)) && wal.readUInt32BE(at + 4) > 0)
    .length;
}
