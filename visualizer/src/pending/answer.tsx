import { useState } from "react";
import { Button } from "../parts/button.tsx";
import type { Json, PendingItem } from "../wire/types.ts";
import { useJsonForm } from "./json-form.tsx";
import { t } from "../words/t.ts";

type Props = {
  readonly item: PendingItem;
  readonly isDisabled: boolean;
  /** Gets the answer, and its text as a result has it. */
  readonly send: (answer: Json, text: string) => void;
  readonly deny: () => void;
  readonly back: (() => void) | undefined;
};

/** A form for the result of a call, or for the answer to a question: by the answer schema, or as text. A page that was visited needs
 *  none. */
export function Answer({ item, isDisabled, send, deny, back }: Props) {
  const { answerSchema } = item;
  const isText = !answerSchema || answerSchema["type"] === "string";
  /** A page to visit, which may give something to enter here. */
  const isVisit = item.ask?.kind === "url" && isText;
  const [text, setText] = useState("");
  const form = useJsonForm(isText ? undefined : answerSchema, undefined, t("Answer (JSON)"));
  const [error, setError] = useState<string>();
  const submit = (): void => {
    try {
      if (isVisit && text.trim() === "") send(null, "done");
      else if (isText) send(text, text);
      else {
        const answer = form.read();
        send(answer, JSON.stringify(answer));
      }
      setError(undefined);
    } catch (problem) {
      setError((problem as Error).message);
    }
  };
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {isText ? (
        <label>
          {isVisit ? t("What the page gave you, if anything") : t("Answer")}
          <textarea
            className="input"
            rows={3}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      ) : (
        form.view
      )}
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="choices">
        <Button
          type="submit"
          tone="good"
          label={isVisit ? t("Done") : t("Answer")}
          isDisabled={isDisabled || (isText && !isVisit && text.trim() === "")}
        />
        <Button
          tone="bad"
          label={item.ask ? t("Decline") : t("Deny…")}
          isDisabled={isDisabled}
          onClick={deny}
        />
        {back && <Button tone="quiet" label={t("Back")} onClick={back} />}
      </div>
    </form>
  );
}
