import fs from "node:fs";
import { holdsLease } from "./shared.ts";
import { stuckFileCalls } from "./file-access.ts";
import type { JournalHead, JournalTail, LineDraft } from "./file-journal.ts";
import { lineAfter, linesIn } from "./file-lines.ts";
import type { Lease } from "./port.ts";

let watched = false;
let exiting = false;

/** True once the process is in its event `exit`, in which nothing asynchronous happens any more. {@link watchExit} comes before. */
export function isExiting(): boolean {
  return exiting;
}

/** Makes {@link isExiting} true before any other listener of the event `exit` runs. */
export function watchExit(): void {
  if (!watched) process.prependListener("exit", () => (exiting = true));
  watched = true;
}

/** The line of a released lease. */
export function releaseDraft(head: JournalHead, time: number): LineDraft {
  return { fields: { kind: "release", time }, headAt: () => ({ ...head, owner: null }) };
}

/** The head of the journal after bytes that were appended behind `tail`. */
function headAfter(bytes: Buffer, { end, head }: JournalTail): JournalHead | undefined {
  const newest = linesIn(bytes, end.size).lines.findLast(({ off, value }) => value?.["off"] === off);
  return newest ? (newest.value!["head"] as unknown as JournalHead) : head;
}

/** Releases a lease while the process exits: synchronously, from what this process knows of its journal. Does nothing if a file system
 *  hangs: then the lease expires. */
export function releaseAtExit(path: string, tail: JournalTail | undefined, lease: Lease, time: number): void {
  if (!tail || stuckFileCalls() > 0) return;
  const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_APPEND);
  try {
    const { ino, birthtimeMs, size } = fs.fstatSync(fd);
    if (ino !== tail.end.ino || birthtimeMs !== tail.end.bornAt || size < tail.end.size) return;
    const bytes = Buffer.alloc(size - tail.end.size);
    fs.readSync(fd, bytes, 0, bytes.length, tail.end.size);
    const head = headAfter(bytes, tail);
    if (!head || !holdsLease(lease, head)) return;
    const isTorn = bytes.length > 0 ? bytes.at(-1) !== 10 : tail.end.isTorn;
    const { fields, headAt } = releaseDraft(head, time);
    const line = lineAfter({ ...tail.end, size, isTorn }, (off) => ({ ...fields, head: headAt(off) }));
    fs.writeSync(fd, line.bytes);
  } finally {
    fs.closeSync(fd);
  }
}
