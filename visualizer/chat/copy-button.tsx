import { useState } from "react";
import { t } from "../src/words/t.ts";

/** How long the button says what has happened, ms. */
const SAID_MS = 2_000;

/** A button that copies a text, and says whether that was possible; nothing for an empty text. */
export function CopyButton({ text }: { readonly text: string }) {
  const [said, setSaid] = useState("");
  if (text === "") return null;
  const say = (what: string): void => {
    setSaid(what);
    setTimeout(() => setSaid(""), SAID_MS);
  };
  const copy = (): void =>
    // a page that was opened over plain HTTP from another machine has no clipboard
    void Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => say(t("Copied")),
        () => say(t("Not allowed")),
      );
  return (
    <button type="button" className="button quiet copy" aria-live="polite" onClick={copy}>
      {said || t("Copy")}
    </button>
  );
}
