import type { FileAccess, OpenFile } from "./file-access.ts";

/** The maximum number of journals that one store leaves open. */
const MOST = 64;

/** A file that was left open. */
export type KeptFile = { readonly file: OpenFile; readonly ino: number };

/**
 * The journals that stay open between the appends of a turn, by their paths. Nothing is known of them but that they were there: what
 * is written to one counts only if the file of that name still is the one that was written to. Whoever takes a file owns it, and
 * keeps it again or closes it.
 */
export class KeptFiles {
  readonly #files = new Map<string, KeptFile>();
  #isClosed = false;

  /** Takes the file at `path` for an operation. */
  take(access: FileAccess, path: string): KeptFile | undefined {
    const kept = this.#files.get(path);
    this.#files.delete(path);
    return kept && { ...kept, file: access.adopt(kept.file) };
  }

  /** Keeps a file, and closes the one that was used longest ago if there are too many. Once all are closed, it is closed at once. */
  async keep(kept: KeptFile): Promise<void> {
    const { access, path } = kept.file;
    if (this.#isClosed) return kept.file.close();
    this.#files.set(path, kept);
    if (this.#files.size <= MOST) return;
    const [oldest] = this.#files.keys();
    await this.close(access, oldest!);
  }

  /** Closes the file at `path`, if it is kept. */
  async close(access: FileAccess, path: string): Promise<void> {
    await this.take(access, path)?.file.close();
  }

  async closeAll(access: FileAccess): Promise<void> {
    this.#isClosed = true;
    for (const path of [...this.#files.keys()]) await this.close(access, path);
  }
}
