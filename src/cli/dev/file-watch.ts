import { existsSync, statSync, watch, type FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { versionOf } from "./loaded-files.ts";
import type { LoadedFile } from "./thread-messages.ts";

/** The time for which files must be left alone before a change counts, ms: editors and formatters write in several steps. */
const QUIET_MS = 100;
/** The interval at which files are looked at whose folders cannot be watched, ms. */
const LOOK_MS = 1_000;

/** The watcher of a folder. `identity`: another text once the folder was made again, which the watcher does not see. */
type WatchedFolder = { readonly watcher: FSWatcher; readonly identity: string };

/** Says when files are written. It watches their folders, because many editors replace a file instead of writing it. */
export class FileWatch {
  readonly #onChange: (paths: readonly string[]) => void;
  readonly #versions = new Map<string, string>();
  readonly #folders = new Map<string, WatchedFolder>();
  #timer: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;

  constructor(onChange: (paths: readonly string[]) => void) {
    this.#onChange = onChange;
  }

  /** Watches a file from the version on that was loaded. */
  add({ path, version }: LoadedFile): void {
    this.#versions.set(path, version);
    this.#watch(existing(dirname(path)));
    this.#checkSoon(); // it may have been written since it was loaded
  }

  /** Watches no other files any more. */
  keep(paths: ReadonlySet<string>): void {
    for (const path of this.#versions.keys()) if (!paths.has(path)) this.#versions.delete(path);
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#looking);
    for (const { watcher } of this.#folders.values()) watcher.close();
  }

  #watch(folder: string): void {
    const identity = identityOf(folder);
    const known = this.#folders.get(folder);
    if (known?.identity === identity) return;
    known?.watcher.close();
    this.#folders.delete(folder);
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#checkSoon());
      watcher.on("error", () => this.#look());
      this.#folders.set(folder, { watcher, identity });
    } catch {
      this.#look(); // the system watches no more folders
    }
  }

  #look(): void {
    this.#looking ??= setInterval(() => this.#check(), LOOK_MS).unref();
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

function identityOf(folder: string): string {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found ? `${found.ino}:${found.birthtimeMs}` : "";
}

/** The folder, or the nearest one above it that exists. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
