import { parsedJson } from "../core/base/json.ts";
import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { join } from "node:path";
import type { FileAccess } from "./file-access.ts";
import { ifExists } from "./file-error.ts";
import type { JournalHead } from "./file-journal.ts";
import type { Lease } from "./port.ts";

/** A folder with one empty file, whose name is a number that no fence of a deleted session has reached. No session's folder
 *  has this name. */
const FLOOR = "~floor";
/** The number of fences that may be issued while a session is being deleted. */
const FLOOR_MARGIN = 1_000;

/** Makes the names in a folder survive a power loss, where the operating system supports it. */
export async function syncFolder(access: FileAccess, path: string): Promise<void> {
  if (process.platform !== "win32")
    await access.withFile(path, constants.O_RDONLY, (folder) => folder.sync());
}

/** Returns a number that no fence of a deleted session has reached. */
export async function fenceFloor(access: FileAccess, dir: string): Promise<number> {
  const names = await access.namesIn(join(dir, FLOOR));
  return names.reduce((floor, name) => Math.max(floor, Number(name) || 0), 0);
}

/** Moves a session's folder away and returns where to, after raising the floor so that a later session of this id gets higher
 *  fences. A process that is killed now leaves a folder that belongs to no session. */
export async function moveToTrash(
  access: FileAccess,
  dir: string,
  folder: string,
  fence: number,
  name = `~trash-${randomUUID()}`,
): Promise<string> {
  const floor = await fenceFloor(access, dir);
  const higher = fence + FLOOR_MARGIN;
  if (higher > floor) {
    await access.makeFolder(join(dir, FLOOR));
    await access.writeText(join(dir, FLOOR, String(higher)), "");
    await access.remove(join(dir, FLOOR, String(floor)));
  }
  const trash = join(dir, name);
  await ifExists(access.rename(folder, trash));
  return trash;
}

/** Removes what {@link moveToTrash} has moved. */
export async function removeTrash(access: FileAccess, trash: string): Promise<void> {
  for (const name of await access.namesIn(trash)) await access.remove(join(trash, name));
  await access.remove(trash);
}

const leaseFile = (folder: string) => join(folder, "lease.json");

async function renewedLease(access: FileAccess, folder: string): Promise<Lease | undefined> {
  const text = await ifExists(access.readText(leaseFile(folder)));
  return parsedJson(text) as Lease | undefined; // a power loss may leave an empty file
}

/** Returns when the lease of a journal's head expires, taking its renewals into account. */
export async function expiryOf(
  access: FileAccess,
  folder: string,
  { fence, expiresAt }: JournalHead,
): Promise<number> {
  const renewed = await renewedLease(access, folder);
  return renewed?.fence === fence ? renewed.expiresAt : expiresAt;
}

/** Writes a renewal. A former holder that is late may overwrite it; then the lease expires as if it had not been renewed,
 *  and the fence still protects the session. */
export async function writeRenewal(access: FileAccess, folder: string, lease: Lease): Promise<void> {
  const path = leaseFile(folder);
  const draft = `${path}.${lease.fence}`;
  await access.alone(path, async () => {
    await access.writeText(draft, `${JSON.stringify(lease)}\n`);
    await access.rename(draft, path);
  });
}

const DRAFT = "lease.json.";

/** Removes the drafts of renewals that former holders of the lease have left, whose processes were killed. A former holder that
 *  still lives then cannot renew, as it must not. */
export async function removeDrafts(access: FileAccess, folder: string, fence: number): Promise<void> {
  for (const name of await access.namesIn(folder)) {
    const isFormer = name.startsWith(DRAFT) && !(Number(name.slice(DRAFT.length)) >= fence);
    if (isFormer) await access.remove(join(folder, name));
  }
}
