import { useEffect, useRef, type ReactNode } from "react";
import { model } from "../store/model.ts";

type Props = { readonly title: string; readonly isWide?: boolean; readonly children: ReactNode };

/** A dialog over the page; Escape closes it, and the focus goes back to where it was. */
export function Frame({ title, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? "wide" : ""}
      aria-label={title}
      onClose={() => model.set({ dialog: null })}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
