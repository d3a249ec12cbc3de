import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import zlib from "node:zlib";
import type { JsonObject } from "../base/json.ts";

// Files that are only ever appended to, by any number of processes without a lock. They must be on a local file system,
// where one write to a file opened for appending is not mixed with another.
//
// L1 A line is one JSON object. Its first field `off` is the offset the writer meant it to have, its last `crc` the
//    checksum of all before; it ends with a newline and is written by one call.
// L2 Bytes behind the last newline are a write that goes on or was cut off. Nobody reads them.
// L3 Who appends behind such a rest closes it first with TORN; a line that ends so is skipped.
// L4 A line that came to stand right behind such a rest belongs to it: its writer finds it is not where it meant it.
// L5 Any other line whose checksum is wrong is damage.

const TORN = "#torn\n";
const CRC_LENGTH = ',"crc":"00000000"}'.length;
const START = '{"off":';
const CHUNK = 16_384;
const NEWLINE = 10;

/** A line and where it stands. `value` is undefined if it is damaged, or skipped by L3 or L4. */
export type FileLine = {
  readonly off: number;
  readonly end: number;
  readonly value: JsonObject | undefined;
  readonly isSkipped: boolean;
};

/** Which file it was, how much of it was there, and whether that ended within a line. */
export type FileEnd = {
  readonly ino: number;
  /** Inode numbers are used again. */
  readonly bornAt: number;
  readonly size: number;
  readonly isTorn: boolean;
};

export function isSameFile(a: FileEnd, b: FileEnd): boolean {
  return a.ino === b.ino && a.bornAt === b.bornAt;
}

function seal(off: number, fields: object): Buffer {
  const body = JSON.stringify({ off, ...fields }).slice(0, -1);
  return Buffer.from(`${body},"crc":"${zlib.crc32(body).toString(16).padStart(8, "0")}"}\n`);
}

function unseal(line: Buffer): JsonObject | undefined {
  const body = line.subarray(0, -CRC_LENGTH);
  const crc = `,"crc":"${zlib.crc32(body).toString(16).padStart(8, "0")}"}`;
  if (line.toString("latin1", body.length) !== crc) return undefined;
  return JSON.parse(line.toString("utf8")) as JsonObject;
}

/** L3 and L4. */
function isSkipped(line: Buffer, off: number): boolean {
  if (line.subarray(1 - TORN.length).toString("latin1") === TORN.trimEnd()) return true;
  for (let at = line.indexOf(START, 1); at !== -1; at = line.indexOf(START, at + 1)) {
    const value = unseal(line.subarray(at));
    if (value) return value["off"] !== off + at;
  }
  return false;
}

function readLine(line: Buffer, off: number): FileLine {
  const value = unseal(line);
  return { off, end: off + line.length + 1, value, isSkipped: !value && isSkipped(line, off) };
}

/** The bytes of a file from one offset to another, fewer if it ends before. */
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

/** The offset of the last newline before `to`; -1 if there is none. */
function newlineBefore(fd: number, to: number): number {
  for (let end = to; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const index = bytesAt(fd, start, end).lastIndexOf(NEWLINE);
    if (index !== -1) return start + index;
  }
  return -1;
}

/** The end of a file; `known` if it has not changed since. */
export function endOf(fd: number, known?: FileEnd): FileEnd {
  const { ino, birthtimeMs: bornAt, size } = fstatSync(fd);
  if (known && known.ino === ino && known.bornAt === bornAt && known.size === size) return known;
  return { ino, bornAt, size, isTorn: size > 0 && bytesAt(fd, size - 1, size)[0] !== NEWLINE };
}

/** The lines before `size`, the last one first. */
export function* linesBackward(fd: number, size: number): Generator<FileLine> {
  for (let stop = newlineBefore(fd, size); stop !== -1;) {
    const before = newlineBefore(fd, stop);
    const line = readLine(bytesAt(fd, before + 1, stop), before + 1);
    if (!line.isSkipped) yield line;
    stop = before;
  }
}

/** The lines from `off` to `size`. */
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

/** The line that begins at `off`; undefined if none ends behind it. */
export function lineAt(fd: number, off: number): FileLine | undefined {
  for (let length = CHUNK; ; length *= 2) {
    const bytes = bytesAt(fd, off, off + length);
    const stop = bytes.indexOf(NEWLINE);
    if (stop !== -1) return readLine(bytes.subarray(0, stop), off);
    if (bytes.length < length) return undefined;
  }
}

/** True if a file that ends within a line ends with a whole one, whose newline alone is not what was written. */
export function hasLostNewline(fd: number, size: number): boolean {
  const rest = bytesAt(fd, newlineBefore(fd, size) + 1, size);
  return unseal(rest.subarray(0, -1)) !== undefined;
}

/** True if the writer of a line may have meant it to stand at `meant`, further up than it does: a line begins there, or the
 *  writer took a write that went on there for a torn one. */
export function isPlausibleOffset(fd: number, off: number, meant: number): boolean {
  if (meant === 0 || bytesAt(fd, meant - 1, meant)[0] === NEWLINE) return true;
  return off >= TORN.length && bytesAt(fd, off - TORN.length, off).toString("latin1") === TORN;
}

/**
 * Appends a line behind `end` and tells whether it stands where it should: at the returned offset. Undefined: another
 * process was faster, so the line does not count. Throws what the file system throws; then no whole line was written.
 */
export function appendLine(
  fd: number,
  end: FileEnd,
  fieldsAt: (off: number) => object,
): { readonly off: number; readonly end: FileEnd } | undefined {
  const prefix = end.isTorn ? TORN : "";
  const off = end.size + prefix.length;
  const bytes = Buffer.concat([Buffer.from(prefix), seal(off, fieldsAt(off))]);
  const written = writeSync(fd, bytes);
  if (written < bytes.length) {
    // The disk is full. What is missing must not follow: another process may have written meanwhile.
    writeSync(fd, TORN);
    throw new Error("The disk took a part of the line only.");
  }
  const size = end.size + bytes.length;
  const isOurs = fstatSync(fd).size === size || bytesAt(fd, end.size, size).equals(bytes);
  return isOurs ? { off, end: { ...end, size, isTorn: false } } : undefined;
}

/** Runs `work` on an open file and closes it. */
export function withFile<T>(path: string, flags: number, work: (fd: number) => T, mode = 0o600): T {
  const fd = openSync(path, flags, mode);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}
