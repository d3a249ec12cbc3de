import { useSyncExternalStore } from "react";

/** The id of the chat in the address of the page; undefined for a new one. */
function chatIn(hash: string): string | undefined {
  const [, id] = /^#\/chat\/([\w.~%-]+)$/u.exec(hash) ?? [];
  try {
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined; // an address that somebody has cut
  }
}

/** The fragment of the address of a chat, or of a new one. */
export const addressOf = (id: string | undefined): string =>
  id === undefined ? "#/" : `#/chat/${encodeURIComponent(id)}`;

/** Opens a chat, or a new one. */
export function openChat(id: string | undefined): void {
  location.hash = addressOf(id);
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

/** The chat that the page shows. */
export function useChatId(): string | undefined {
  return useSyncExternalStore(subscribe, () => chatIn(location.hash));
}
