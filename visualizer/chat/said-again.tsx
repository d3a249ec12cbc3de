import { useState } from "react";
import { Button } from "../src/parts/button.tsx";
import { t } from "../src/words/t.ts";

type Props = {
  readonly text: string;
  /** Says the message again in a new chat that begins as this one did before it; undefined while that is not possible. */
  readonly again: ((text?: string) => void) | undefined;
};

/** Offers to change a message of the user, or to ask it again as it is. What was said after it stays in this chat. */
export function SaidAgain({ text, again }: Props) {
  const [draft, setDraft] = useState<string>();
  if (!again) return null;
  if (draft === undefined)
    return (
      <p className="again">
        <button
          type="button"
          className="link"
          title={t("In a new chat: this one stays as it is")}
          onClick={() => setDraft(text)}
        >
          {t("Edit")}
        </button>
        <button
          type="button"
          className="link"
          title={t("In a new chat: this one stays as it is")}
          onClick={() => again()}
        >
          {t("Ask again")}
        </button>
      </p>
    );
  return (
    <form
      className="edit-said"
      onSubmit={(event) => {
        event.preventDefault();
        if (draft.trim() !== "") again(draft.trim());
      }}
    >
      <textarea
        className="input"
        aria-label={t("Changed message")}
        autoFocus
        rows={Math.min(8, draft.split("\n").length)}
        value={draft}
        onChange={({ target }) => setDraft(target.value)}
      />
      <p className="row">
        <Button type="submit" tone="good" label={t("Ask in a new chat")} isDisabled={draft.trim() === ""} />
        <Button tone="quiet" label={t("Cancel")} onClick={() => setDraft(undefined)} />
      </p>
    </form>
  );
}
