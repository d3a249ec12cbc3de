import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { open } from "node:fs/promises";
import { crc32 } from "node:zlib";
import type { JsonObject } from "../message/types.ts";

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

/** A line with the offset where it stands; `value` is undefined for damage. */
export type FileLine = { readonly off: number; readonly end: number; readonly value: JsonObject | undefined };

/** How much of a file is there, and whether it ends within a line. */
export type FileEnd = { readonly size: number; readonly isTorn: boolean };

function seal(off: number, fields: object): Buffer {
  const body = JSON.stringify({ off, ...fields }).slice(0, -1);
  return Buffer.from(`${body},"crc":"${crc32(body).toString(16).padStart(8, "0")}"}\n`);
}

function unseal(line: Buffer): JsonObject | undefined {
  const body = line.subarray(0, -CRC_LENGTH);
  const crc = `,"crc":"${crc32(body).toString(16).padStart(8, "0")}"}`;
  if (line.toString("latin1", body.length) !== crc) return undefined;
  return JSON.parse(line.toString("utf8")) as JsonObject;
}

/** L3 and L4. */
function isRest(line: Buffer): boolean {
  if (line.subarray(1 - TORN.length).toString("latin1") === TORN.trimEnd()) return true;
  for (let at = line.indexOf(START, 1); at !== -1; at = line.indexOf(START, at + 1)) {
    if (unseal(line.subarray(at))) return true;
  }
  return false;
}

function readLine(line: Buffer, off: number): FileLine | undefined {
  const end = off + line.length + 1;
  const value = unseal(line);
  return value || !isRest(line) ? { off, end, value } : undefined;
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

export function endOf(fd: number): FileEnd {
  const { size } = fstatSync(fd);
  return { size, isTorn: size > 0 && bytesAt(fd, size - 1, size)[0] !== NEWLINE };
}

/** The lines before `size`, the last one first. */
export function* linesBackward(fd: number, size: number): Generator<FileLine> {
  for (let stop = newlineBefore(fd, size); stop !== -1; ) {
    const before = newlineBefore(fd, stop);
    const line = readLine(bytesAt(fd, before + 1, stop), before + 1);
    if (line) yield line;
    stop = before;
  }
}

/** The line that begins at `off`; undefined if none does. */
export function lineAt(fd: number, off: number): FileLine | undefined {
  for (let length = CHUNK; ; length *= 2) {
    const bytes = bytesAt(fd, off, off + length);
    const stop = bytes.indexOf(NEWLINE);
    if (stop !== -1) return readLine(bytes.subarray(0, stop), off);
    if (bytes.length < length) return undefined;
  }
}

/** True if a line may begin here. */
export function isLineStart(fd: number, off: number): boolean {
  return off === 0 || bytesAt(fd, off - 1, off)[0] === NEWLINE;
}

/** The lines from `off` to the end the file has now. */
export async function* linesForward(path: string, off: number): AsyncGenerator<FileLine> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    let rest = Buffer.alloc(0);
    let start = off;
    for (let at = off; at < size; ) {
      const chunk = Buffer.allocUnsafe(Math.min(Math.max(4 * CHUNK, rest.length), size - at));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      rest = Buffer.concat([rest, chunk.subarray(0, bytesRead)]);
      let from = 0;
      for (let stop = rest.indexOf(NEWLINE); stop !== -1; stop = rest.indexOf(NEWLINE, from)) {
        const line = readLine(rest.subarray(from, stop), start);
        if (line) yield line;
        start += stop + 1 - from;
        from = stop + 1;
      }
      rest = rest.subarray(from);
    }
  } finally {
    await file.close();
  }
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
  return isOurs ? { off, end: { size, isTorn: false } } : undefined;
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
