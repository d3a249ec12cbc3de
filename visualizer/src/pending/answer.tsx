import { useState } from "react";
import { Button } from "../parts/button.tsx";
import type { PendingItem } from "../wire/types.ts";
import { useJsonForm } from "./json-form.tsx";

type Props = {
  readonly item: PendingItem;
  readonly isOff: boolean;
  readonly send: (answer: string) => void;
  readonly deny: () => void;
  readonly back: (() => void) | undefined;
};

/** The result of a call, given by a person: by the schema of the answer, or as text. */
export function Answer({ item, isOff, send, deny, back }: Props) {
  const { answerSchema } = item;
  const isText = !answerSchema || answerSchema["type"] === "string";
  const [text, setText] = useState("");
  const form = useJsonForm(isText ? undefined : answerSchema, undefined, "Answer (JSON)");
  const [trouble, setTrouble] = useState<string>();
  const submit = (): void => {
    try {
      send(isText ? text : JSON.stringify(form.read()));
      setTrouble(undefined);
    } catch (error) {
      setTrouble((error as Error).message);
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
          Answer
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
      {trouble !== undefined && (
        <p className="trouble" role="alert">
          {trouble}
        </p>
      )}
      <div className="choices">
        <Button
          type="submit"
          tone="good"
          label="Answer"
          isDisabled={isOff || (isText && text.trim() === "")}
        />
        <Button tone="bad" label="Deny…" isDisabled={isOff} onClick={deny} />
        {back && <Button tone="quiet" label="Back" onClick={back} />}
      </div>
    </form>
  );
}
