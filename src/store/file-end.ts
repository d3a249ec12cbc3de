import { randomUUID } from "node:crypto";
import { parsedJson } from "../core/base/json.ts";
import { OpenFile, type FileAccess } from "./file-access.ts";
import { ifExists } from "./file-error.ts";
import { tailOf, type JournalTail } from "./file-journal.ts";
import { endOf, lineAt, wholeSize } from "./file-lines.ts";
import { sessionDamaged } from "./stored-json.ts";

// How long a file was when it last was made to survive a power loss, in a file beside it: lines that are missing from its end are
// found.
//
// Z1 It is written after the file was synced, so that it is never ahead of it. It may be behind.
// Z2 It names the first line of its file, and says nothing about a later file of that name. It is written under another name first: the
//    session may be deleted meanwhile, and begin again, and what is renamed then is in the former folder, too.
// Z3 One that cannot be read says nothing: a power loss may leave an empty one.

/** The size of the whole lines of a file, and of an inbox the number of its inputs. */
export type FileExtent = { readonly end: number; readonly count?: number };
type FileNote = FileExtent & { readonly first: string };

const notePath = (path: string) => `${path}.end`;
const firstOf = async (file: OpenFile) => (await lineAt(file, 0))?.value?.["crc"] as string | undefined;

async function noteOf(access: FileAccess, path: string): Promise<FileNote | undefined> {
  return parsedJson(await ifExists(access.readText(notePath(path)))) as FileNote | undefined;
}

/** Notes that a file was synced when it had this extent. */
export async function noteEnd(file: OpenFile, extent: FileExtent): Promise<void> {
  const { access, path } = file;
  const draft = `${notePath(path)}.${randomUUID().slice(0, 8)}`;
  try {
    const note = { ...extent, first: await firstOf(file) };
    await access.writeText(draft, `${JSON.stringify(note)}\n`);
    const isThere = (await access.stat(path)).ino === (await file.stat()).ino; // else it was deleted
    await (isThere ? access.rename(draft, notePath(path)) : access.remove(draft));
  } catch {
    // What was to be written is written; without a note less is found.
    await access.remove(draft).catch(() => {});
  }
}

/** Throws `session/damaged` for a file that had more whole lines than when it was measured; `end` is the size of these. `place` is open, or there is no such file. */
export async function checkEnd(
  place: Pick<OpenFile, "access" | "path">,
  { end, count = 0 }: FileExtent,
  sessionId: string,
  what: string,
): Promise<void> {
  const { access, path } = place;
  const file = place instanceof OpenFile ? place : undefined;
  const note = await noteOf(access, path);
  if (!note || !(note.end > end || (note.count ?? 0) > count)) return;
  // Another process may have appended since it was measured: what it noted is there by now.
  const now = file
    ? await wholeSize(file, await endOf(file))
    : ((await ifExists(access.stat(path)))?.size ?? 0);
  if (now > end && now >= note.end) return;
  const first = file && (await firstOf(file));
  if (first === undefined || first === note.first)
    throw sessionDamaged(sessionId, `${what} has ${end} bytes and had ${note.end}, or lost a line`);
}

/** As {@link tailOf}, and throws `session/damaged` if the end of the journal is missing. */
export async function checkedTailOf(
  file: OpenFile,
  sessionId: string,
  known?: JournalTail,
): Promise<JournalTail> {
  const tail = await tailOf(file, sessionId, known);
  if (tail === known) return tail;
  const end = await wholeSize(file, tail.end);
  await checkEnd(file, { end }, sessionId, "its journal");
  return tail;
}
