import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import zlib from "node:zlib";
import type { JsonObject } from "../base/json.ts";

// Append-only files that any number of processes write without a lock. They must be on a local file system, where one write
// to a file opened for appending is not mixed with another.
//
// L1 A line is one JSON object. Its first field `off` is the offset that its writer intended, its last field `crc` the CRC-32
//    of everything before. It ends with a newline and is written by one call.
// L2 Bytes after the last newline are a write in progress or a write that was cut off. Readers ignore them.
// L3 A writer closes such an unfinished line with TORN before it appends. A line that ends with TORN is skipped.
// L4 A line directly after an unfinished line belongs to it and is skipped: it is not at the offset that its writer intended.
// L5 Any other line with a wrong checksum is damage.

const TORN = "#torn\n";
const CRC_LENGTH = ',"crc":"00000000"}'.length;
const START = '{"off":';
const CHUNK = 16_384;
const NEWLINE = 10;

/** A line with its offset and that of the byte after it. `value` is undefined if it is damaged, or skipped by L3 or L4. */
export type FileLine = {
  readonly off: number;
  readonly end: number;
  readonly value: JsonObject | undefined;
  readonly isSkipped: boolean;
};

/** The identity of a file, its size, and whether it ends within a line. */
export type FileEnd = {
  readonly ino: number;
  /** Epoch ms. Tells apart files that got the same inode number one after the other. */
  readonly bornAt: number;
  readonly size: number;
  readonly isTorn: boolean;
};

/** True for two ends of one file, taken at different times. */
export function isSameFile(a: FileEnd, b: FileEnd): boolean {
  return a.ino === b.ino && a.bornAt === b.bornAt;
}

/** Encodes a line (L1). */
function encodeLine(off: number, fields: object): Buffer {
  const body = JSON.stringify({ off, ...fields }).slice(0, -1);
  return Buffer.from(`${body},"crc":"${zlib.crc32(body).toString(16).padStart(8, "0")}"}\n`);
}

/** Decodes a line; undefined if its checksum is wrong. */
function decodeLine(line: Buffer): JsonObject | undefined {
  const body = line.subarray(0, -CRC_LENGTH);
  const crc = `,"crc":"${zlib.crc32(body).toString(16).padStart(8, "0")}"}`;
  if (line.toString("latin1", body.length) !== crc) return undefined;
  return JSON.parse(line.toString("utf8")) as JsonObject;
}

/** True for a line that L3 or L4 skips. */
function isSkipped(line: Buffer, off: number): boolean {
  if (line.subarray(1 - TORN.length).toString("latin1") === TORN.trimEnd()) return true;
  for (let at = line.indexOf(START, 1); at !== -1; at = line.indexOf(START, at + 1)) {
    const value = decodeLine(line.subarray(at));
    if (value) return value["off"] !== off + at;
  }
  return false;
}

function readLine(line: Buffer, off: number): FileLine {
  const value = decodeLine(line);
  return { off, end: off + line.length + 1, value, isSkipped: !value && isSkipped(line, off) };
}

/** Reads the bytes of a file from one offset to another; fewer if the file ends before. */
export function bytesAt(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.allocUnsafe(Math.max(0, to - from));
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(fd, bytes, length, bytes.length - length, from + length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

/** Returns the offset of the last newline before `to`; -1 if there is none. */
function newlineBefore(fd: number, to: number): number {
  for (let end = to; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const index = bytesAt(fd, start, end).lastIndexOf(NEWLINE);
    if (index !== -1) return start + index;
  }
  return -1;
}

/** Returns the end of a file; `known` itself if it has not changed since. */
export function endOf(fd: number, known?: FileEnd): FileEnd {
  const { ino, birthtimeMs: bornAt, size } = fstatSync(fd);
  if (known && known.ino === ino && known.bornAt === bornAt && known.size === size) return known;
  return { ino, bornAt, size, isTorn: size > 0 && bytesAt(fd, size - 1, size)[0] !== NEWLINE };
}

/** Yields the lines before offset `size`, the last one first. */
export function* linesBackward(fd: number, size: number): Generator<FileLine> {
  for (let stop = newlineBefore(fd, size); stop !== -1;) {
    const before = newlineBefore(fd, stop);
    const line = readLine(bytesAt(fd, before + 1, stop), before + 1);
    if (!line.isSkipped) yield line;
    stop = before;
  }
}

/** Yields the lines from offset `off` to `size`. */
export function* linesForward(fd: number, off: number, size: number): Generator<FileLine> {
  let rest = Buffer.alloc(0);
  let start = off;
  for (let at = off; at < size;) {
    const chunk = bytesAt(fd, at, Math.min(size, at + Math.max(4 * CHUNK, rest.length)));
    if (chunk.length === 0) return;
    at += chunk.length;
    rest = Buffer.concat([rest, chunk]);
    let from = 0;
    for (let stop = rest.indexOf(NEWLINE); stop !== -1; stop = rest.indexOf(NEWLINE, from)) {
      const line = readLine(rest.subarray(from, stop), start);
      if (!line.isSkipped) yield line;
      start += stop + 1 - from;
      from = stop + 1;
    }
    rest = rest.subarray(from);
  }
}

/** Returns the line that begins at `off`; undefined if the file ends within it. */
export function lineAt(fd: number, off: number): FileLine | undefined {
  for (let length = CHUNK; ; length *= 2) {
    const bytes = bytesAt(fd, off, off + length);
    const stop = bytes.indexOf(NEWLINE);
    if (stop !== -1) return readLine(bytes.subarray(0, stop), off);
    if (bytes.length < length) return undefined;
  }
}

/** True if a file that ends within a line ends with a valid line: then its newline was changed, which is damage. */
export function hasLostNewline(fd: number, size: number): boolean {
  const rest = bytesAt(fd, newlineBefore(fd, size) + 1, size);
  return decodeLine(rest.subarray(0, -1)) !== undefined;
}

/** True if the writer of the line at `off` may have aimed at the lower offset `intended`: a line begins there, or the writer
 *  took a write in progress for an unfinished one. */
export function isPlausibleOffset(fd: number, off: number, intended: number): boolean {
  if (intended === 0 || bytesAt(fd, intended - 1, intended)[0] === NEWLINE) return true;
  return off >= TORN.length && bytesAt(fd, off - TORN.length, off).toString("latin1") === TORN;
}

/**
 * Appends a line after `end` and returns its offset. Returns undefined if another process appended first, so that the line
 * does not count. Throws what the file system throws; then no whole line was written.
 */
export function appendLine(
  fd: number,
  end: FileEnd,
  fieldsAt: (off: number) => object,
): { readonly off: number; readonly end: FileEnd } | undefined {
  const prefix = end.isTorn ? TORN : "";
  const off = end.size + prefix.length;
  const bytes = Buffer.concat([Buffer.from(prefix), encodeLine(off, fieldsAt(off))]);
  const written = writeSync(fd, bytes);
  if (written < bytes.length) {
    // The disk is full. The rest must not be written later: another process may have appended in between.
    writeSync(fd, TORN);
    throw new Error("The disk accepted only a part of the line.");
  }
  const size = end.size + bytes.length;
  const isOurs = fstatSync(fd).size === size || bytesAt(fd, end.size, size).equals(bytes);
  return isOurs ? { off, end: { ...end, size, isTorn: false } } : undefined;
}

/** Opens a file, runs `work` on it, and closes it. */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T, mode = 0o600): T {
  const fd = openSync(path, flags, mode);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}
