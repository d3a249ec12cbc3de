type Storage = "localStorage" | "sessionStorage";
const memory = new Map<string, string>();

/** The texts of a page without storage, in its entry of the history, which outlives a reload and which no other site reads. */
const inEntry = (): { readonly [key: string]: string } | undefined =>
  globalThis.history?.state as { readonly [key: string]: string } | undefined;

/** Returns what {@link keep} has kept under a key; undefined without it. */
export function kept(key: string, storage: Storage = "localStorage"): string | undefined {
  try {
    return memory.get(key) ?? globalThis[storage].getItem(key) ?? undefined;
  } catch {
    return memory.get(key) ?? inEntry()?.[key];
  }
}

/** Keeps a text in the browser; where its storage is full or forbidden, as long as the page is open or loaded again. */
export function keep(key: string, text: string, storage: Storage = "localStorage"): void {
  try {
    globalThis[storage].setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
    try {
      history.replaceState({ ...inEntry(), [key]: text }, "");
    } catch {
      // a browser takes only so many changes of the history in a time
    }
  }
}
