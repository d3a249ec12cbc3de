import { randomUUID } from "node:crypto";
import { join } from "node:path";
import type { FileAccess } from "./file-access.ts";
import { checkedTailOf } from "./file-end.ts";
import { ifExists } from "./file-error.ts";
import { removeTrash } from "./file-folder.ts";
import type { Acknowledged } from "./file-journal.ts";
import { idInJournal, INBOX, JOURNAL } from "./file-list.ts";
import { inputsIn, type SessionFiles } from "./file-sessions.ts";

// The folder of a session that is being deleted but for its inputs. Its name says since when, by the clock of the store. What a
// process leaves that was killed is put back by the next one that looks for sessions that are due.

const NAME = /^~inputs-(\d+)-/u;

const NOTHING: Acknowledged = { upTo: 0, also: [] };

/** Returns the name of a folder that is moved away now. No session's folder has such a name. */
export const deletedName = (now: number): string => `~inputs-${now}-${randomUUID()}`;

/** Puts the inputs of a moved folder back that are not acknowledged, as those of a new session, and removes the folder. */
export async function putInputsBack(
  access: FileAccess,
  files: SessionFiles,
  folder: string,
  sessionId: string,
): Promise<void> {
  const journal = join(folder, JOURNAL);
  const tail = await access.readFile(journal, (file) => checkedTailOf(file, sessionId));
  const inbox = join(folder, INBOX);
  for (const input of await inputsIn(access, inbox, sessionId, tail?.head?.inbox ?? NOTHING))
    await files.put(access, sessionId, input);
  await access.remove(inbox); // before the journal, which says what of it is acknowledged
  await removeTrash(access, folder);
}

/** Puts back what other processes have moved away before `before`. One that is damaged stays. */
export async function putLeftInputsBack(
  access: FileAccess,
  files: SessionFiles,
  dir: string,
  before: number,
): Promise<void> {
  const isLeft = (name: string): boolean => Number(NAME.exec(name)?.[1] ?? Number.POSITIVE_INFINITY) < before;
  for (const name of (await access.namesIn(dir)).filter(isLeft)) {
    const folder = join(dir, name);
    const sessionId = await idInJournal(access, folder);
    if (sessionId !== undefined) await putInputsBack(access, files, folder, sessionId).catch(ignoreDamage);
    else if (!(await ifExists(access.stat(join(folder, INBOX))))) await removeTrash(access, folder);
  }
}

function ignoreDamage(error: unknown): void {
  if ((error as { readonly code?: string }).code !== "session/damaged") throw error;
}
