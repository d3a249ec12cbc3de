import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { lstat, open, readdir, rename, rmdir, unlink, type FileHandle } from "node:fs/promises";
import { contentHash } from "./content-hash.ts";
import { badPath, failureOf, hasChanged, isProtectedPath } from "./failures.ts";
import { namesOf, protection } from "./paths.ts";
import type { DirectoryEntry, FileStat, ReadOptions, WriteOptions } from "./port.ts";
import { heldPath, openDirectory, walk, type Place, type Root, type WalkOptions } from "./walk.ts";

const { O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
const MAX_BYTES = 64 * 1024 * 1024;
const UNFINISHED = /^\.agentchart-[\da-f]{16}\.tmp$/u;

type Typed = { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean };

function typeOf(entry: Typed): DirectoryEntry["type"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  return entry.isSymbolicLink() ? "link" : "other";
}

/** The files of a folder. Every path is opened name by name, so that no link leads out of it. */
export class FolderFiles {
  readonly #root: Root;
  readonly #isProtected: (names: readonly string[]) => boolean;
  /** The last write to each path: two of this process do not overtake each other between the check and the change. */
  readonly #writing = new Map<string, Promise<unknown>>();

  constructor(root: Root, protectedPaths: readonly string[]) {
    this.#root = root;
    this.#isProtected = protection(protectedPaths);
  }

  isProtected(path: string): boolean {
    return this.#isProtected(namesOf(this.#root.path, path));
  }

  async #at<T>(path: string, body: (place: Place) => Promise<T>, options?: WalkOptions): Promise<T> {
    const place = await walk(this.#root, path, options);
    try {
      return await body(place);
    } catch (error) {
      throw failureOf(path, error);
    } finally {
      await place.handle.close();
    }
  }

  #writable(path: string): WalkOptions {
    return {
      before: (names) => {
        if (names.length === 0) throw badPath(path, "is the root of the workspace");
        if (this.#isProtected(names)) throw isProtectedPath(path);
      },
    };
  }

  read(path: string, { maxBytes = MAX_BYTES }: ReadOptions = {}): Promise<Uint8Array> {
    return this.#at(path, async ({ dir, name }) => {
      if (name === "") throw badPath(path, "is a directory, and not a file");
      const file = await open(`${dir}/${name}`, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
      try {
        return await contentOf(file, path, maxBytes);
      } finally {
        await file.close();
      }
    });
  }

  write(path: string, content: Uint8Array, { expected }: WriteOptions = {}): Promise<void> {
    const options = { ...this.#writable(path), makesDirectories: true };
    const write = (): Promise<void> =>
      this.#at(
        path,
        async ({ dir, name }) => {
          const target = `${dir}/${name}`;
          const mode = await this.#replaceable(path, target, expected);
          const temporary = `${dir}/.agentchart-${randomBytes(8).toString("hex")}.tmp`;
          try {
            const file = await open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o666);
            try {
              await file.writeFile(content);
              if (mode !== undefined) await file.chmod(mode);
              await file.sync();
            } finally {
              await file.close();
            }
            await rename(temporary, target);
          } catch (error) {
            await unlink(temporary).catch(() => {});
            throw error;
          }
        },
        options,
      );
    const key = namesOf(this.#root.path, path).join("/");
    const writing = (this.#writing.get(key) ?? Promise.resolve()).then(write, write);
    this.#writing.set(key, writing);
    const done = (): void => {
      if (this.#writing.get(key) === writing) this.#writing.delete(key);
    };
    writing.then(done, done);
    return writing;
  }

  /** Checks what a write would replace. Returns its mode; undefined if nothing is there. */
  async #replaceable(path: string, target: string, expected: string | null | undefined) {
    const found = await lstat(target).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (!found) {
      if (typeof expected === "string") throw hasChanged(path);
      return undefined;
    }
    if (!found.isFile())
      throw badPath(path, `is a ${found.isDirectory() ? "directory" : "special file"}, and not a file`);
    if (expected === undefined) return found.mode & 0o777;
    if (expected === null) throw hasChanged(path);
    const file = await open(target, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    try {
      if (contentHash(await contentOf(file, path, Infinity)) !== expected) throw hasChanged(path);
    } finally {
      await file.close();
    }
    return found.mode & 0o777;
  }

  list(path: string): Promise<readonly DirectoryEntry[]> {
    return this.#at(path, async ({ dir, name, names }) => {
      if (name === "") return entriesOf(dir);
      const handle = await openDirectory(`${dir}/${name}`);
      if (!handle) throw badPath(path, "is not a directory");
      try {
        return await entriesOf(await heldPath(handle, `${this.#root.path}/${names.join("/")}`));
      } finally {
        await handle.close();
      }
    });
  }

  async stat(path: string): Promise<FileStat | undefined> {
    try {
      return await this.#at(path, async ({ dir, name }) => {
        const found = await lstat(name === "" ? `${dir}/` : `${dir}/${name}`);
        const type = typeOf(found);
        return { type: type === "link" ? "other" : type, size: found.size, modifiedAt: found.mtimeMs };
      });
    } catch (error) {
      if ((error as { code?: string }).code === "workspace/not-found") return undefined;
      throw error;
    }
  }

  remove(path: string): Promise<void> {
    const options = { ...this.#writable(path), followsLast: false };
    return this.#at(
      path,
      async ({ dir, name }) => {
        const target = `${dir}/${name}`;
        if ((await lstat(target)).isDirectory()) await rmdir(target);
        else await unlink(target);
      },
      options,
    );
  }
}

async function entriesOf(dir: string): Promise<readonly DirectoryEntry[]> {
  const entries = await readdir(dir, { withFileTypes: true });
  return entries
    .filter(({ name }) => !UNFINISHED.test(name))
    .map((entry) => ({ name: entry.name, type: typeOf(entry) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The content of an open file. What grows while it is read is not read for ever. */
async function contentOf(file: FileHandle, path: string, maxBytes: number): Promise<Uint8Array> {
  const found = await file.stat();
  if (found.isDirectory()) throw badPath(path, "is a directory, and not a file");
  if (!found.isFile()) throw badPath(path, "is a special file: it is not opened");
  if (found.size > maxBytes) throw badPath(path, `has ${found.size} bytes, which are more than ${maxBytes}`);
  const content = Buffer.alloc(found.size);
  let length = 0;
  while (length < content.length) {
    const { bytesRead } = await file.read(content, length, content.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return Uint8Array.from(content.subarray(0, length));
}
