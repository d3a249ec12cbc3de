import { useLayoutEffect, useRef, type ReactNode } from "react";
import { model } from "../store/model.ts";

type Props = { readonly title: string; readonly isWide?: boolean; readonly children: ReactNode };

/** A modal dialog; Escape closes it, and the focus returns to the element that had it. */
export function Frame({ title, isWide = false, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // another dialog may have been opened before this one's close event
  const ownDialog = useRef(model.dialog);
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close(); // the browser restores the focus
  }, []);
  return (
    <dialog
      ref={dialog}
      className={isWide ? "wide" : ""}
      aria-label={title}
      onClose={() => {
        if (model.dialog === ownDialog.current) model.set({ dialog: null });
      }}
      onClick={(event) => {
        if (event.target === event.currentTarget) dialog.current?.close();
      }}
    >
      {children}
    </dialog>
  );
}
