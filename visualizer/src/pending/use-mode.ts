import { useEffect, useRef, useState, type RefObject } from "react";

/** The content that a card displays: the decisions, or one of the forms. */
export type Mode = "choose" | "edit" | "deny" | "answer";

/** The mode of a card. Opening a form focuses its first field, closing it focuses the card. */
export function useMode(card: RefObject<HTMLElement | null>, first: Mode): [Mode, (mode: Mode) => void] {
  const [mode, setMode] = useState(first);
  const current = useRef(mode);
  useEffect(() => {
    if (current.current === mode) return;
    current.current = mode;
    const field = card.current?.querySelector<HTMLElement>(".answer-form :is(input, select, textarea)");
    (field ?? card.current)?.focus();
  }, [card, mode]);
  return [mode, setMode];
}
