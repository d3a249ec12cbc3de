import { fstatSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { ifExists } from "./file-folder.ts";
import { tailOf, type JournalTail } from "./file-journal.ts";
import { lineAt } from "./file-lines.ts";
import { sessionDamaged } from "./stored-json.ts";

// How long a file was when it last was made to survive a power loss, in a file beside it: lines that are missing from its end are
// found.
//
// Z1 It is written after the file was synced, so that it is never ahead of it. It may be behind.
// Z2 It names the first line of its file, and says nothing about a later file of that name.
// Z3 One that cannot be read says nothing: a power loss may leave an empty one.

/** The size of a file, and of an inbox the number of its inputs. */
export type FileExtent = { readonly end: number; readonly count?: number };
type FileNote = FileExtent & { readonly first: string };

const notePath = (path: string) => `${path}.end`;
const firstOf = (fd: number) => lineAt(fd, 0)?.value?.["crc"] as string | undefined;

function noteOf(path: string): FileNote | undefined {
  const text = ifExists(() => readFileSync(notePath(path), "utf8"));
  try {
    return text === undefined ? undefined : (JSON.parse(text) as FileNote);
  } catch {
    return undefined;
  }
}

/** Notes that a file was synced when it had this extent. */
export function noteEnd(fd: number, path: string, extent: FileExtent): void {
  try {
    if (statSync(path).ino !== fstatSync(fd).ino) return; // deleted meanwhile
    writeFileSync(notePath(path), `${JSON.stringify({ ...extent, first: firstOf(fd) })}\n`, { mode: 0o600 });
  } catch {
    // What was to be written is written; without a note less is found.
  }
}

/** Throws `session/damaged` for a file that was longer than when it was measured. `fd` is undefined if there is no such file. */
export function checkEnd(
  fd: number | undefined,
  path: string,
  { end, count = 0 }: FileExtent,
  sessionId: string,
  what: string,
): void {
  const note = noteOf(path);
  if (!note || !(note.end > end || (note.count ?? 0) > count)) return;
  const now = fd === undefined ? ifExists(() => statSync(path)) : fstatSync(fd);
  if ((now?.size ?? 0) > end) return; // another process has appended since it was measured
  const first = fd === undefined ? undefined : firstOf(fd);
  if (first === undefined || first === note.first)
    throw sessionDamaged(sessionId, `${what} has ${end} bytes and had ${note.end}, or lost a line`);
}

/** As {@link tailOf} of the journal at `path`, and throws `session/damaged` if its end is missing. */
export function checkedTailOf(fd: number, path: string, sessionId: string, known?: JournalTail): JournalTail {
  const tail = tailOf(fd, sessionId, known);
  if (tail !== known) checkEnd(fd, path, { end: tail.end.size }, sessionId, "its journal");
  return tail;
}
