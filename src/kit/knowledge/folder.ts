import { constants } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { AgentError, messageOf } from "../../core/base/error.ts";
import { isReadable } from "./read-document.ts";

/** A file of a folder: `source` is the name of the folder and the path in it. Or why it is left out. */
export type FolderFile = { readonly source: string; readonly path: string; readonly refused?: string };
/** The content of a path. The sources of its files are `name`, or begin with it and a slash. */
export type Folder = { readonly name: string; readonly files: readonly FolderFile[] };

/** The files of a folder that can be read, in the order of their names, without hidden ones and packages; or one file. Links are not
 *  followed, and those that lead out of the folder are refused. Rejects `config/invalid` if there is nothing at the path. */
export async function filesOf(path: string): Promise<Folder> {
  const root = await realpath(path).catch((error: unknown) => {
    throw new AgentError("config/invalid", `There is no folder or file at ${path}.`, { cause: error });
  });
  const name = basename(root);
  const nameOf = (file: string): string => [name, ...relative(root, file).split(sep)].join("/");
  if ((await lstat(root)).isFile()) return { name, files: [{ source: name, path: root }] };
  const found: FolderFile[] = [];
  const visit = async (folder: string): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const file = join(folder, entry.name);
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      if (entry.isSymbolicLink()) {
        const target = await realpath(file).catch(() => undefined);
        const isInside = target === undefined || target === root || target.startsWith(root + sep);
        if (!isInside)
          found.push({ source: nameOf(file), path: file, refused: "it is a link out of the folder" });
      } else if (entry.isDirectory()) await visit(file);
      else if (entry.isFile() && isReadable(entry.name)) found.push({ source: nameOf(file), path: file });
    }
  };
  await visit(root);
  return { name, files: found };
}

/** The content of a file. Rejects with the reason if it is larger than `maxBytes`, a link, or not readable. */
export async function readFileWithin(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0)).catch((error: unknown) => {
    throw new Error(`it cannot be opened (${messageOf(error)})`);
  });
  try {
    const { size } = await file.stat();
    const inMegabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
    if (size > maxBytes)
      throw new Error(`it has ${inMegabytes(size)}, and at most ${inMegabytes(maxBytes)} are read`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}
