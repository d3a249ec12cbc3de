import type { KeyboardEvent } from "react";

/** A handler that does what is given for a key, so that neither the browser nor the keys of the page act on it too. */
export function onKeys(acts: { readonly [key: string]: () => void }): (event: KeyboardEvent) => void {
  return (event) => {
    const { key, shiftKey, ctrlKey, metaKey, altKey } = event;
    const act = acts[key];
    if (!act || shiftKey || ctrlKey || metaKey || altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}
