import { randomUUID } from "node:crypto";
import { fsync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { JournalHead } from "./file-journal.ts";
import type { Lease } from "./port.ts";

/** A folder with one empty file, whose name is a number that no fence of a deleted session has reached. No session's folder
 *  has this name. */
const FLOOR = "~floor";
/** How many fences may be issued while a session is being deleted. */
const FLOOR_MARGIN = 1_000;

/** Resolves when the content of an open file survives a power loss. */
export const syncFile = promisify(fsync);

/** True if an error says that there is no such file, also because a file or a broken link is in the path. */
export function isMissing(thrown: unknown): boolean {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP";
}

/** Returns what `read` returns; undefined if there is no such file or folder. */
export function ifExists<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Makes a folder and its parents, for this user only. */
export function makeFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Makes the names in a folder survive a power loss, where the operating system supports it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** Returns a number that no fence of a deleted session has reached. */
export function fenceFloor(dir: string): number {
  const names = ifExists(() => readdirSync(join(dir, FLOOR))) ?? [];
  return names.reduce((floor, name) => Math.max(floor, Number(name) || 0), 0);
}

/** Moves a session's folder away and returns where to, after raising the floor so that a later session of this id gets higher
 *  fences. A process that is killed now leaves a folder that belongs to no session. */
export function moveToTrash(dir: string, folder: string, fence: number): string {
  const floor = fenceFloor(dir);
  const higher = fence + FLOOR_MARGIN;
  if (higher > floor) {
    makeFolder(join(dir, FLOOR));
    writeFileSync(join(dir, FLOOR, String(higher)), "");
    rmSync(join(dir, FLOOR, String(floor)), { force: true });
  }
  const trash = join(dir, `~trash-${randomUUID()}`);
  ifExists(() => renameSync(folder, trash));
  return trash;
}

/** Removes what {@link moveToTrash} has moved. */
export function removeTrash(trash: string): void {
  rmSync(trash, { recursive: true, force: true });
}

const leaseFile = (folder: string) => join(folder, "lease.json");

function renewedLease(folder: string): Lease | undefined {
  const text = ifExists(() => readFileSync(leaseFile(folder), "utf8"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Lease);
  } catch {
    return undefined; // a power loss may leave an empty file
  }
}

/** Returns when the lease of a journal's head expires, taking its renewals into account. */
export function expiryOf(folder: string, { fence, expiresAt }: JournalHead): number {
  const renewed = renewedLease(folder);
  return renewed?.fence === fence ? renewed.expiresAt : expiresAt;
}

/** Writes a renewal. A former holder that is late may overwrite it; then the lease expires as if it had not been renewed,
 *  and the fence still protects the session. */
export function writeRenewal(folder: string, lease: Lease): void {
  const draft = `${leaseFile(folder)}.${lease.fence}`;
  writeFileSync(draft, `${JSON.stringify(lease)}\n`, { mode: 0o600 });
  renameSync(draft, leaseFile(folder));
}

const DRAFT = "lease.json.";

/** Removes the drafts of renewals that former holders of the lease have left, whose processes were killed. A former holder that
 *  still lives then cannot renew, as it must not. */
export function removeDrafts(folder: string, fence: number): void {
  for (const name of ifExists(() => readdirSync(folder)) ?? []) {
    const isFormer = name.startsWith(DRAFT) && !(Number(name.slice(DRAFT.length)) >= fence);
    if (isFormer) rmSync(join(folder, name), { force: true });
  }
}
