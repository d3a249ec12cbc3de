import { open, realpath, stat } from "node:fs/promises";
import { isAbsolute, join, sep } from "node:path";

/** The most that is read of a file, in bytes. */
const MAX_BYTES = 256 * 1024;

/** The text of a file, or why it is not read. */
export type FileText =
  | { readonly text: string; readonly isCut: boolean; readonly bytes: number }
  | { readonly problem: string; readonly isMissing?: true };

/** The real path of something inside of a real folder; undefined if it leads out of it. Rejects if there is nothing. */
async function realInside(folder: string, path: string): Promise<string | undefined> {
  if (isAbsolute(path) || path.includes("\0")) return undefined;
  const joined = join(folder, path);
  if (!isIn(folder, joined)) return undefined;
  const real = await realpath(joined);
  return isIn(folder, real) ? real : undefined;
}

const isIn = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

/** The text of bytes; undefined if they are not text. A character at the end may be cut in two. */
function decoded(bytes: Uint8Array, isCut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: isCut });
  } catch {
    return undefined;
  }
}

/** Reads a text file inside of a folder: at most its first 256 KB. What lies outside, also behind a symbolic link, what is not a regular
 *  file and what is not a UTF-8 text is not read. Never rejects. */
export async function readInside(folder: string, path: string): Promise<FileText> {
  try {
    const real = await realInside(await realpath(folder), path);
    if (real === undefined) return { problem: "it leads out of the folder" };
    if (!(await stat(real)).isFile()) return { problem: "it is not a file" };
    const handle = await open(real);
    try {
      const { size } = await handle.stat();
      const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const isCut = size > MAX_BYTES;
      const text = decoded(buffer.subarray(0, bytesRead), isCut);
      return text === undefined ? { problem: "it is not a text file" } : { text, isCut, bytes: size };
    } finally {
      await handle.close();
    }
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing
      ? { problem: "there is no such file", isMissing }
      : { problem: `it cannot be read: ${code}` };
  }
}
