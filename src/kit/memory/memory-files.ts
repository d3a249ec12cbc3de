import type { JsonObject } from "../../core/base/json.ts";
import type { Memory, MemoryStore, NewMemory } from "./port.ts";

/** The folder of all files. */
export const ROOT = "/memories";
/** The most characters of a file: with its path it is one memory. */
export const MAX_FILE = 7_500;
const MAX_PATH = 200;

/** A file that a scope has. */
export type MemoryFile = {
  readonly path: string;
  readonly content: string;
  /** The memories that hold it: its newest one, and any that a process has left that died while it wrote. */
  readonly ids: readonly string[];
};

/** A path without a slash at its end; undefined if it does not lie in the folder. */
export function normalPath(path: string): string | undefined {
  const [, root, ...steps] = path.replace(/\/$/u, "").split("/");
  const isRight = path.length <= MAX_PATH && `/${root}` === ROOT && path.startsWith("/");
  const isPlain = steps.every((step) => /^\P{Cc}+$/u.test(step) && step !== "." && step !== "..");
  return isRight && isPlain ? [ROOT, ...steps].join("/") : undefined;
}

/** A file as a memory: its path stands in the text, so that two files with one content are two memories. */
function memoryOf(path: string, content: string, meta: JsonObject): NewMemory {
  return { text: `${path}\n${content}`, meta: { ...meta, path } };
}

function pathOf({ text, meta: { path } }: Memory): string | undefined {
  return typeof path === "string" && text.startsWith(`${path}\n`) ? path : undefined;
}

/** The files of one scope of a store. */
export class MemoryFiles {
  readonly #store: MemoryStore;
  readonly #scope: string;
  readonly #meta: JsonObject;

  /** `meta` is stored with each file that is written. */
  constructor(store: MemoryStore, scope: string, meta: JsonObject) {
    this.#store = store;
    this.#scope = scope;
    this.#meta = meta;
  }

  /** All files by their paths. */
  async all(): Promise<ReadonlyMap<string, MemoryFile>> {
    const files = new Map<string, MemoryFile>();
    let cursor: string | undefined;
    do {
      const page = await this.#store.list(this.#scope, cursor === undefined ? {} : { cursor });
      for (const memory of page.memories) {
        const path = pathOf(memory);
        if (path === undefined) continue;
        const newer = files.get(path);
        files.set(path, {
          path,
          content: newer?.content ?? memory.text.slice(path.length + 1),
          ids: [...(newer?.ids ?? []), memory.id],
        });
      }
      cursor = page.cursor;
    } while (cursor !== undefined);
    return files;
  }

  /** Writes a file in the place of `before`. The new one is stored before the old one is removed. */
  async write(path: string, content: string, before?: MemoryFile): Promise<void> {
    const ids = await this.#store.put(this.#scope, [memoryOf(path, content, this.#meta)]);
    await this.remove(before ? before.ids.filter((id) => !ids.includes(id)) : []);
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#store.remove(this.#scope, ids);
  }
}
