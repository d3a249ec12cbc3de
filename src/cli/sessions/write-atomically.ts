import { createWriteStream } from "node:fs";
import { realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { FileAccess } from "../../store/file-access.ts";
import { syncFolder } from "../../store/file-folder.ts";

/** Writes a complete file, readable by its owner only, or none; it survives a power loss. Writes to pipes and devices directly. */
export async function writeAtomically(
  file: string,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  const target = await realpath(file).catch(() => resolve(file));
  const existing = await stat(target).catch(() => undefined);
  const isDirect = existing !== undefined && !existing.isFile();
  const path = isDirect ? target : `${target}.${process.pid}.part`;
  try {
    await pipeline(
      Readable.from(lines),
      createWriteStream(path, { mode: 0o600, flags: isDirect ? "w" : "wx", flush: !isDirect }),
    );
    if (isDirect) return;
    await rename(path, target);
    await syncFolder(new FileAccess(), dirname(target));
  } catch (error) {
    if (!isDirect) await rm(path, { force: true });
    if (AgentError.is(error)) throw error;
    throw new AgentError("store/failed", `Cannot write ${file}: ${messageOf(error)}`, { cause: error });
  }
}
