import type { KeyboardEvent } from "react";

/** Creates a key handler; a handled key does not reach the browser or the page's shortcuts. */
export function onKeys(handlers: { readonly [key: string]: () => void }): (event: KeyboardEvent) => void {
  return (event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const handler = handlers[key];
    if (!handler || shiftKey || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    event.stopPropagation();
    handler();
  };
}
