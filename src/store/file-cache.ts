import type { FileAccess, OpenFile } from "./file-access.ts";

/** The maximum number of journals that one store leaves open. */
const MOST = 64;

/** A file that was left open. */
export type CachedFile = { readonly file: OpenFile; readonly ino: number };

/**
 * The journals that stay open between the appends of a turn, by their paths. Nothing is known of them but that they were there: what
 * is written to one counts only if the file of that name still is the one that was written to. Whoever takes a file owns it, and
 * puts it back or closes it.
 */
export class FileCache {
  readonly #files = new Map<string, CachedFile>();
  #isClosed = false;

  /** Takes the file at `path` for an operation. */
  take(access: FileAccess, path: string): CachedFile | undefined {
    const cached = this.#files.get(path);
    this.#files.delete(path);
    return cached && { ...cached, file: access.adopt(cached.file) };
  }

  /** Caches a file, and closes the one that was used longest ago if there are too many. Once all are closed, it is closed at once. */
  async put(cached: CachedFile): Promise<void> {
    const { access, path } = cached.file;
    if (this.#isClosed) return cached.file.close();
    this.#files.set(path, cached);
    if (this.#files.size <= MOST) return;
    const [oldest] = this.#files.keys();
    await this.close(access, oldest!);
  }

  /** Closes the file at `path`, if it is cached. */
  async close(access: FileAccess, path: string): Promise<void> {
    await this.take(access, path)?.file.close();
  }

  async closeAll(access: FileAccess): Promise<void> {
    this.#isClosed = true;
    for (const path of [...this.#files.keys()]) await this.close(access, path);
  }
}
