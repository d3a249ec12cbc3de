import { setTimeout as sleep } from "node:timers/promises";
import zlib from "node:zlib";
import type { JsonObject } from "../core/base/json.ts";
import type { OpenFile } from "./file-access.ts";

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

/** The longest pause of a writer, ms. */
const MAX_PAUSE_MS = 50;

/** Resolves after a random time before a writer tries again whose line did not count, as another one came first. That line has moved the
 *  end too: writers that took turns at once would spoil each other's lines for ever. `tries`: how many lines have not counted. */
export async function pauseBefore(tries: number): Promise<void> {
  if (tries > 0) await sleep(Math.random() * Math.min(2 ** tries, MAX_PAUSE_MS));
}

/** Encodes a line (L1), with `prefix` before it. */
function encodeLine(prefix: string, off: number, fields: object): Buffer {
  const body = JSON.stringify({ off, ...fields }).slice(0, -1);
  const crc = zlib.crc32(body).toString(16).padStart(8, "0");
  return Buffer.from(`${prefix}${body},"crc":"${crc}"}\n`);
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

/** Returns the offset of the last newline before `to`; -1 if there is none. */
async function newlineBefore(file: OpenFile, to: number): Promise<number> {
  for (let end = to; end > 0; end -= CHUNK) {
    const start = Math.max(0, end - CHUNK);
    const index = (await file.bytesAt(start, end)).lastIndexOf(NEWLINE);
    if (index !== -1) return start + index;
  }
  return -1;
}

/** Returns the end of a file; `known` itself if it has not changed since. */
export async function endOf(file: OpenFile, known?: FileEnd): Promise<FileEnd> {
  const { ino, birthtimeMs: bornAt, size } = await file.stat();
  if (known && known.ino === ino && known.bornAt === bornAt && known.size === size) return known;
  return { ino, bornAt, size, isTorn: size > 0 && (await file.bytesAt(size - 1, size))[0] !== NEWLINE };
}

/** Returns the size of a file without a line that a writer did not finish. */
export async function wholeSize(file: OpenFile, { size, isTorn }: FileEnd): Promise<number> {
  return isTorn ? (await newlineBefore(file, size)) + 1 : size;
}

/** Yields the lines before offset `size`, the last one first. */
export async function* linesBackward(file: OpenFile, size: number): AsyncGenerator<FileLine> {
  for (let stop = await newlineBefore(file, size); stop !== -1;) {
    const before = await newlineBefore(file, stop);
    const line = readLine(await file.bytesAt(before + 1, stop), before + 1);
    if (!line.isSkipped) yield line;
    stop = before;
  }
}

/** Returns the whole lines in bytes that begin at offset `off`, and how many bytes they have. */
export function linesIn(
  bytes: Buffer,
  off: number,
): { readonly lines: readonly FileLine[]; readonly length: number } {
  const lines: FileLine[] = [];
  let from = 0;
  for (let stop = bytes.indexOf(NEWLINE); stop !== -1; stop = bytes.indexOf(NEWLINE, from)) {
    const line = readLine(bytes.subarray(from, stop), off + from);
    if (!line.isSkipped) lines.push(line);
    from = stop + 1;
  }
  return { lines, length: from };
}

/** Yields the lines from offset `off` to `size`, several at once. */
export async function* linesForward(
  file: OpenFile,
  off: number,
  size: number,
): AsyncGenerator<readonly FileLine[]> {
  let rest = Buffer.alloc(0);
  let start = off;
  for (let at = off; at < size;) {
    const chunk = await file.bytesAt(at, Math.min(size, at + Math.max(4 * CHUNK, rest.length)));
    if (chunk.length === 0) return;
    at += chunk.length;
    const bytes = Buffer.concat([rest, chunk]);
    const { lines, length } = linesIn(bytes, start);
    rest = bytes.subarray(length);
    start += length;
    if (lines.length > 0) yield lines;
  }
}

/** Returns the line that begins at `off`; undefined if the file ends within it. */
export async function lineAt(file: OpenFile, off: number): Promise<FileLine | undefined> {
  for (let length = CHUNK; ; length *= 2) {
    const bytes = await file.bytesAt(off, off + length);
    const stop = bytes.indexOf(NEWLINE);
    if (stop !== -1) return readLine(bytes.subarray(0, stop), off);
    if (bytes.length < length) return undefined;
  }
}

/** True if a file that ends within a line ends with a valid line: then its newline was changed, which is damage. */
export async function hasLostNewline(file: OpenFile, size: number): Promise<boolean> {
  const rest = await file.bytesAt((await newlineBefore(file, size)) + 1, size);
  return decodeLine(rest.subarray(0, -1)) !== undefined;
}

/** True if the writer of the line at `off` may have aimed at the lower offset `intended`. A line then begins there, or the writer took a
 *  write in progress for an unfinished one. */
export async function isPlausibleOffset(file: OpenFile, off: number, intended: number): Promise<boolean> {
  if (intended === 0 || (await file.bytesAt(intended - 1, intended))[0] === NEWLINE) return true;
  return off >= TORN.length && (await file.bytesAt(off - TORN.length, off)).toString("latin1") === TORN;
}

/** Encodes a line that is to be appended after `end`, with the mark of an unfinished line before it. */
export function lineAfter(
  end: FileEnd,
  fieldsAt: (off: number) => object,
): { readonly off: number; readonly bytes: Buffer } {
  const prefix = end.isTorn ? TORN : "";
  const off = end.size + prefix.length;
  return { off, bytes: encodeLine(prefix, off, fieldsAt(off)) };
}

/**
 * Appends a line after `end` and returns the new end. Returns undefined if another process appended first, so that the line
 * does not count, or if the file at its path is another one or none by now. Throws what the file system throws; then no whole
 * line was written.
 */
export async function appendLine(
  file: OpenFile,
  end: FileEnd,
  fieldsAt: (off: number) => object,
): Promise<FileEnd | undefined> {
  const { bytes } = lineAfter(end, fieldsAt);
  const written = await file.append(bytes);
  if (written < bytes.length) {
    // The disk is full. The rest must not be written later: another process may have appended in between.
    await file.append(Buffer.from(TORN));
    throw new Error("The disk accepted only a part of the line.");
  }
  const size = end.size + bytes.length;
  const found = file.access.statAtOnce(file.path);
  if (found?.ino !== end.ino) return undefined; // no other file has the number of one that is open
  const isOurs = found.size === size || (await file.bytesAt(end.size, size)).equals(bytes);
  return isOurs ? { ino: end.ino, bornAt: end.bornAt, size, isTorn: false } : undefined;
}
