import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { Button } from "../src/parts/button.tsx";

type Props = {
  readonly isDisabled?: boolean;
  /** Says something; rejects if it was not stored: then the text stays. */
  readonly send: (text: string) => Promise<void>;
  /** While a turn runs: adds to it, and ends it. */
  readonly running?: {
    readonly steer: (text: string) => Promise<void>;
    readonly stop: () => void;
  };
  readonly note?: string | undefined;
};

/** The field for what the user says. Enter sends it, Shift and Enter begin a new line. */
export function Composer({ isDisabled = false, send, running, note }: Props) {
  const [text, setText] = useState("");
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (): void => {
    const said = text.trim();
    if (said === "" || isDisabled) return;
    setText("");
    const give = (): void => setText((now) => (now === "" ? said : now));
    (running?.steer ?? send)(said).catch(give); // the error is shown where the chat is
  };
  const press = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {note !== undefined && <p className="note">{note}</p>}
      <div className="row">
        <textarea
          ref={field}
          className="input"
          rows={Math.min(8, text.split("\n").length)}
          aria-label="Message"
          placeholder={running ? "Add to what the agent is doing" : "Say something"}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={press}
        />
        {running && <Button tone="bad" icon="stop" label="Stop" onClick={running.stop} />}
        <Button
          type="submit"
          tone="good"
          label={running ? "Add" : "Send"}
          isDisabled={isDisabled || text.trim() === ""}
        />
      </div>
    </form>
  );
}
