type Storage = "localStorage" | "sessionStorage";
const memory = new Map<string, string>();

/** Writes what storage refused to the entry of the history, which outlives a reload and which no other site reads. */
function writeEntry(): void {
  if (memory.size === 0) return;
  try {
    history.replaceState({ ...history.state, ...Object.fromEntries(memory) }, "");
  } catch {
    // a browser takes only so many changes of the history in a time
  }
}
globalThis.addEventListener?.("hashchange", writeEntry); // a new entry, which has nothing yet

/** Returns what {@link keep} has kept under a key; undefined without it. */
export function kept(key: string, storage: Storage = "localStorage"): string | undefined {
  try {
    return memory.get(key) ?? globalThis[storage].getItem(key) ?? undefined;
  } catch {
    const entry = globalThis.history?.state as { readonly [key: string]: string } | undefined;
    const text = memory.get(key) ?? entry?.[key];
    if (text !== undefined) memory.set(key, text);
    return text;
  }
}

/** Keeps a text in the browser; where its storage is full or forbidden, as long as the page is open or loaded again. */
export function keep(key: string, text: string, storage: Storage = "localStorage"): void {
  try {
    globalThis[storage].setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
    writeEntry();
  }
}
