import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { t } from "../words/t.ts";

type Props = {
  readonly isDisabled: boolean;
  readonly send: (reason: string) => void;
  readonly back: () => void;
};

/** A form for the reason of a denial, which is required because the model reads it. */
export function Deny({ isDisabled, send, back }: Props) {
  const [reason, setReason] = useState("");
  const text = reason.trim();
  return (
    <form
      className="answer-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text !== "") send(text);
      }}
    >
      <label>
        {t("Reason (the model reads it)")}
        <textarea
          className="input"
          rows={2}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="choices">
        <Button type="submit" tone="bad" label={t("Deny")} isDisabled={isDisabled || text === ""} />
        <Button tone="quiet" label={t("Back")} onClick={back} />
      </div>
    </form>
  );
}
