import { configError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { contentHash } from "./content-hash.ts";
import { badPath, hasChanged, isClosed, isProtectedPath, notFound } from "./failures.ts";
import { namesOf, PROTECTED_PATHS, protection } from "./paths.ts";
import type { DirectoryEntry, FileStat, ReadOptions, Workspace, WriteOptions } from "./port.ts";

/** Options of {@link memoryWorkspace}. */
export type MemoryWorkspaceOptions = {
  /** The first files: their contents by their paths. */
  readonly files?: { readonly [path: string]: string | Uint8Array } | undefined;
  /** The paths that may not be written, see {@link FolderWorkspaceOptions}. Default {@link PROTECTED_PATHS}. */
  readonly protectedPaths?: readonly string[] | undefined;
  /** Runs commands; absent: the workspace runs none. */
  readonly exec?: NonNullable<Workspace["exec"]> | undefined;
};

/** The schema of {@link MemoryWorkspaceOptions}. */
export const memoryWorkspaceSchema = s.lazily(() =>
  s.options<MemoryWorkspaceOptions>({
    files: s.optional(s.object("an object with contents by paths")),
    protectedPaths: s.optional(s.listOf(s.nonEmpty("a path or a glob"))),
    exec: s.optional(s.func()),
  }),
);

type File = { readonly content: Uint8Array; readonly modifiedAt: number };

const MAX_BYTES = 64 * 1024 * 1024;
const ROOT = "/workspace";

const bytesOf = (content: string | Uint8Array): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : Uint8Array.from(content);

/**
 * Files in the memory of this process, at `/workspace`, for tests and for agents that write drafts. A directory is there as long as it
 * holds a file. Names of another case are other files.
 *
 * @example
 * ```ts
 * import { memoryWorkspace } from "agentchart/workspace";
 *
 * const workspace = memoryWorkspace({ files: { "a.txt": "Hello" } });
 * console.log(await workspace.list(""));
 * ```
 */
export function memoryWorkspace(options: MemoryWorkspaceOptions = {}): Workspace {
  check(memoryWorkspaceSchema(), options, "memoryWorkspace");
  const { files = {}, protectedPaths = PROTECTED_PATHS, exec } = options;
  const stored = new Map<string, File>();
  const isProtected = protection(protectedPaths);
  let isOpen = true;

  const keyOf = (path: string): string => {
    if (!isOpen) throw isClosed(ROOT);
    return namesOf(ROOT, path).join("/");
  };
  const isDirectory = (key: string): boolean =>
    key === "" || [...stored.keys()].some((each) => each.startsWith(`${key}/`));
  const fileAt = (path: string): File => {
    const key = keyOf(path);
    const file = stored.get(key);
    if (file) return file;
    if (isDirectory(key)) throw badPath(path, "is a directory, and not a file");
    throw notFound(path);
  };
  const put = (path: string, content: string | Uint8Array): void => {
    const names = namesOf(ROOT, path);
    const key = names.join("/");
    if (isDirectory(key)) throw badPath(path, "is a directory, and not a file");
    if (names.some((_, at) => at > 0 && stored.has(names.slice(0, at).join("/"))))
      throw badPath(path, "goes through something that is not a directory");
    stored.set(key, { content: bytesOf(content), modifiedAt: Date.now() });
  };
  const checkWritable = (path: string): void => {
    keyOf(path);
    if (isProtected(namesOf(ROOT, path))) throw isProtectedPath(path);
  };

  for (const [path, content] of Object.entries(files)) {
    if (typeof content !== "string" && !(content instanceof Uint8Array))
      throw configError(`memoryWorkspace: \`files\` has neither text nor bytes at '${path}'.`);
    put(path, content);
  }

  return {
    root: ROOT,
    async read(path: string, { maxBytes = MAX_BYTES }: ReadOptions = {}) {
      const { content } = fileAt(path);
      if (content.length > maxBytes)
        throw badPath(path, `has ${content.length} bytes, which are more than ${maxBytes}`);
      return Uint8Array.from(content);
    },
    async write(path: string, content: Uint8Array, { expected }: WriteOptions = {}) {
      checkWritable(path);
      const there = stored.get(keyOf(path));
      const hash = there ? contentHash(there.content) : null;
      if (expected !== undefined && hash !== expected) throw hasChanged(path);
      put(path, content);
    },
    async list(path: string) {
      const key = keyOf(path);
      if (stored.has(key)) throw badPath(path, "is a file, and not a directory");
      if (!isDirectory(key)) throw notFound(path);
      const from = key === "" ? 0 : key.length + 1;
      const found = new Map<string, DirectoryEntry["type"]>();
      for (const each of stored.keys()) {
        if (key !== "" && !each.startsWith(`${key}/`)) continue;
        const [name = "", ...more] = each.slice(from).split("/");
        found.set(name, more.length > 0 ? "directory" : "file");
      }
      return [...found]
        .map(([name, type]) => ({ name, type }))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    async stat(path: string): Promise<FileStat | undefined> {
      const key = keyOf(path);
      const file = stored.get(key);
      if (file) return { type: "file", size: file.content.length, modifiedAt: file.modifiedAt };
      return isDirectory(key) ? { type: "directory", size: 0, modifiedAt: 0 } : undefined;
    },
    async remove(path: string) {
      checkWritable(path);
      const key = keyOf(path);
      if (isDirectory(key)) throw badPath(path, "is a directory that is not empty");
      if (!stored.delete(key)) throw notFound(path);
    },
    isProtected: (path) => isProtected(namesOf(ROOT, path)),
    ...(exec && { exec }),
    close: async () => void (isOpen = false),
  };
}
