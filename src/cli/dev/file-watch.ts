import { existsSync, watch, type FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { versionOf } from "./loaded-files.ts";
import type { LoadedFile } from "./thread-messages.ts";

/** The time for which files must be left alone before a change counts, ms: editors and formatters write in several steps. */
const QUIET_MS = 100;

/** Says when files are written. It watches their folders, because many editors replace a file instead of writing it. */
export class FileWatch {
  readonly #onChange: (paths: readonly string[]) => void;
  readonly #versions = new Map<string, string>();
  readonly #folders = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;

  constructor(onChange: (paths: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Watches a file from the version on that was loaded. */
  add({ path, version }: LoadedFile): void {
    this.#versions.set(path, version);
    const folder = existing(dirname(path));
    if (!this.#folders.has(folder)) {
      const watcher = watch(folder, { persistent: false }, () => this.#checkSoon());
      watcher.on("error", () => {}); // the folder was deleted
      this.#folders.set(folder, watcher);
    }
    this.#checkSoon(); // it may have been written since it was loaded
  }

  /** Watches no other files any more. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#versions.keys()) if (!paths.has(path)) this.#versions.delete(path);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #checkSoon(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), QUIET_MS).unref();
  }

  #check(): void {
    const changed = [...this.#versions].filter(([path, version]) => versionOf(path) !== version);
    for (const [path] of changed) this.#versions.set(path, versionOf(path));
    if (changed.length > 0) this.#onChange(changed.map(([path]) => path));
  }
}

/** The folder, or the nearest one above it that exists. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
