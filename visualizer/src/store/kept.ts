const memory = new Map<string, string>();

/** Returns what {@link keep} has kept under a key; undefined without it. */
export function kept(
  key: string,
  storage: "localStorage" | "sessionStorage" = "localStorage",
): string | undefined {
  try {
    return memory.get(key) ?? globalThis[storage].getItem(key) ?? undefined;
  } catch {
    return memory.get(key);
  }
}

/** Keeps a text in the browser; where its storage is full or forbidden, as long as the page is open. */
export function keep(
  key: string,
  text: string,
  storage: "localStorage" | "sessionStorage" = "localStorage",
): void {
  try {
    globalThis[storage].setItem(key, text);
    memory.delete(key);
  } catch {
    memory.set(key, text);
  }
}
