import { randomUUID } from "node:crypto";
import { fsync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JournalHead } from "./file-journal.ts";
import type { Lease } from "./port.ts";

/** The folder of the numbers that fences of deleted sessions never reached; no session's folder has this name. */
const FLOOR = "~floor";
/** So many fences may be issued while a session is being deleted. */
const FLOOR_MARGIN = 1_000;

export const syncFile = promisify(fsync);

/** True if there is no such file, for a strange file or a broken link in the way too. */
export function isMissing(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

/** What `read` gives; undefined if there is no such file or folder. */
export function ifThere<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Makes the names in a folder survive a power loss, where the system can. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** No fence was issued above it for any deleted session. */
export function fenceFloor(dir: string): number {
  const names = ifThere(() => readdirSync(join(dir, FLOOR))) ?? [];
  return names.reduce((floor, name) => Math.max(floor, Number(name) || 0), 0);
}

/** Removes a session's folder after seeing to it that a later one of this id gets higher fences. */
export function removeFolder(dir: string, folder: string, fence: number): void {
  const floor = fenceFloor(dir);
  const higher = fence + FLOOR_MARGIN;
  if (higher > floor) {
    makeFolder(join(dir, FLOOR));
    writeFileSync(join(dir, FLOOR, String(higher)), "");
    rmSync(join(dir, FLOOR, String(floor)), { force: true });
  }
  const trash = join(dir, `~trash-${randomUUID()}`);
  if (ifThere(() => renameSync(folder, trash) ?? true)) rmSync(trash, { recursive: true });
}

const leaseFile = (folder: string) => join(folder, "lease.json");

function renewedLease(folder: string): Lease | undefined {
  const text = ifThere(() => readFileSync(leaseFile(folder), "utf8"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Lease);
  } catch {
    return undefined; // a power loss may leave a file without content
  }
}

/** When the lease of a head expires: it may have been renewed since. */
export function expiryOf(folder: string, { fence, expiresAt }: JournalHead): number {
  const renewed = renewedLease(folder);
  return renewed?.fence === fence ? renewed.expiresAt : expiresAt;
}

/** Notes a renewal. A former holder that is late may replace the note: then the lease ends at its first time, which its
 *  fence survives. */
export function writeRenewal(folder: string, lease: Lease): void {
  const draft = `${leaseFile(folder)}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(lease)}\n`, { mode: 0o600 });
  renameSync(draft, leaseFile(folder));
}
