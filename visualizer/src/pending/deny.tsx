import { useState } from "react";
import { Button } from "../parts/button.tsx";

type Props = { readonly isOff: boolean; readonly send: (reason: string) => void; readonly back: () => void };

/** The model reads the reason, so there must be one. */
export function Deny({ isOff, send, back }: Props) {
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
        Why not? The model reads this.
        <textarea
          className="input"
          rows={2}
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="choices">
        <Button type="submit" tone="bad" label="Deny" isDisabled={isOff || text === ""} />
        <Button tone="quiet" label="Back" onClick={back} />
      </div>
    </form>
  );
}
