import { useLayoutEffect, useRef, type ReactNode } from "react";
import { model } from "../store/model.ts";

type Props = { readonly title: string; readonly isWide?: boolean; readonly children: ReactNode };

/** A dialog over the page; Escape closes it, and the focus goes back to where it was. */
export function Frame({ title, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // another may have been opened before the browser says that this one is closed
  const mine = useRef(model.dialog);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close(); // the browser gives the focus back
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? "wide" : ""}
      aria-label={title}
      onClose={() => {
        if (model.dialog === mine.current) model.set({ dialog: null });
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
