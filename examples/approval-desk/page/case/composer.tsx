import { useId, useState, type KeyboardEvent, type SubmitEvent } from "react";
import type { AgentSession } from "agentchart/react";
import { useAnnounce } from "../parts/announcer.tsx";
import { Icon } from "../parts/icon.tsx";
import { useLanguage } from "../words/language.tsx";

type Props = { readonly agent: AgentSession; readonly onSend: () => void };

/** Where the customer goes on; adds to what runs, and stops it. */
export function Composer({ agent, onSend }: Props) {
  const { status, send, steer, interrupt } = agent;
  const { words } = useLanguage();
  const announce = useAnnounce();
  const [text, setText] = useState("");
  const id = useId();
  const isRunning = status === "running";
  const isWaiting = status === "suspended";
  const hasText = text.trim() !== "";
  const submit = async (): Promise<void> => {
    if (!hasText || isWaiting || status === "submitted") return;
    setText("");
    onSend();
    try {
      await (isRunning ? steer : send)(text.trim());
      if (isRunning) announce(words.composer.added);
    } catch {
      setText((written) => written || text); // why is in `error`
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void submit();
  };
  return (
    <form
      className="composer"
      onSubmit={(event: SubmitEvent) => {
        event.preventDefault();
        void submit();
      }}
    >
      <div className="column">
        <label className="hidden" htmlFor={id}>
          {isRunning ? words.composer.steerLabel : words.composer.label}
        </label>
        <textarea
          id={id}
          rows={1}
          maxLength={2_000}
          value={text}
          readOnly={isWaiting}
          placeholder={
            isWaiting
              ? words.composer.waiting
              : isRunning
                ? words.composer.steerPlaceholder
                : words.composer.placeholder
          }
          aria-describedby={`${id}-keys`}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
        />
        <span className="hidden" id={`${id}-keys`}>
          {words.composer.keys}
        </span>
        {(isRunning || isWaiting) && (
          <button type="button" className="stop" onClick={() => void interrupt().catch(() => {})}>
            <Icon name="stop" />
            {words.composer.stop}
          </button>
        )}
        {!isWaiting && (
          <button className="primary" disabled={!hasText || status === "submitted"}>
            <Icon name="send" />
            {isRunning ? words.composer.add : words.composer.send}
          </button>
        )}
      </div>
    </form>
  );
}
