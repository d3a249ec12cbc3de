import { dirname } from "node:path";
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
// Z2 It names the first line of its file, and its folder, and says nothing about a later file of that name: a session may be deleted, and
//    begin again, between the look at a file and the note about it. A file without a first line, or none, is judged by the folder.
// Z3 One that cannot be read says nothing: a power loss may leave an empty one.

/** The size of the whole lines of a file, and of an inbox the number of its inputs. */
export type FileExtent = { readonly end: number; readonly count?: number };
type FileNote = FileExtent & { readonly first: string; readonly folder?: string };

const notePath = (path: string) => `${path}.end`;
const firstOf = async (file: OpenFile) => (await lineAt(file, 0))?.value?.["crc"] as string | undefined;

/** Tells apart the folders that had one name one after the other; undefined if there is none. */
async function folderOf({ access, path }: Pick<OpenFile, "access" | "path">): Promise<string | undefined> {
  const found = await ifExists(access.stat(dirname(path)));
  return found && `${found.ino} ${found.birthtimeMs}`;
}

async function noteOf(access: FileAccess, path: string): Promise<FileNote | undefined> {
  return parsedJson(await ifExists(access.readText(notePath(path)))) as FileNote | undefined;
}

/** Notes that a file was synced when it had this extent. */
export async function noteEnd(file: OpenFile, extent: FileExtent): Promise<void> {
  const { access, path } = file;
  try {
    const folder = await folderOf(file); // before it is known to be that of the file
    if ((await access.stat(path)).ino !== (await file.stat()).ino) return; // deleted meanwhile
    const note = { ...extent, first: await firstOf(file), folder };
    await access.writeText(notePath(path), `${JSON.stringify(note)}\n`);
  } catch {
    // What was to be written is written; without a note less is found.
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
  const folder = await folderOf(place);
  if (first === undefined ? (note.folder ?? folder) === folder : first === note.first)
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
