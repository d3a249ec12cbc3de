import { useEffect, useRef, useState, type RefObject } from "react";

export type Mode = "choose" | "edit" | "deny" | "answer";

/** What a card shows. Who turns to a form gets the focus into it, and back on the card when it closes. */
export function useMode(card: RefObject<HTMLElement | null>, first: Mode): [Mode, (mode: Mode) => void] {
  const [mode, setMode] = useState(first);
  const shown = useRef(mode);
  useEffect(() => {
    if (shown.current === mode) return;
    shown.current = mode;
    const field = card.current?.querySelector<HTMLElement>(".answer-form :is(input, select, textarea)");
    (field ?? card.current)?.focus();
  }, [card, mode]);
  return [mode, setMode];
}
