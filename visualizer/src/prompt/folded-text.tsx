import { useState } from "react";
import { jsonText } from "../logic/format.ts";
import { model } from "../store/model.ts";
import { characters } from "../words/characters.ts";
import { t } from "../words/t.ts";

const MAX_LENGTH = 700;
const MAX_LINES = 10;
/** A longer text is opened in a dialog, which shows it part by part. */
const MAX_INLINE = 40_000;

/** A text exactly as it was sent; a long one is folded to its beginning. */
export function FoldedText({ text, isMono = false }: { readonly text: string; readonly isMono?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const head = text.slice(0, MAX_LENGTH).split("\n").slice(0, MAX_LINES).join("\n");
  const isLong = head.length < text.length;
  const open = (): void => {
    if (text.length <= MAX_INLINE) setOpen(!isOpen);
    else model.set({ dialog: { kind: "blob", sha: "", length: text.length, head: text } });
  };
  return (
    <>
      <pre className={isMono ? "sent-text mono" : "sent-text"}>{isOpen ? text : head}</pre>
      {isLong && (
        <button type="button" className="link" aria-expanded={isOpen} onClick={open}>
          {isOpen ? t("show less") : t`show all (${characters(text.length)})`}
        </button>
      )}
    </>
  );
}

/** A value as JSON on several lines, in which characters that hide are escaped; a long one is folded. */
export function FoldedJson({ value }: { readonly value: unknown }) {
  return <FoldedText text={value === undefined ? "" : jsonText(value)} isMono />;
}
