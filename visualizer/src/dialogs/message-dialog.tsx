import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { sendAndNotify, refusalText, expectRevision } from "../store/commands.ts";
import { model, type Dialog } from "../store/model.ts";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

const TEXTS = {
  steer: {
    title: t("Steer the turn"),
    text: t("The model reads this message with its next request. Running work continues."),
    label: t("Steer"),
    notice: t("The model reads it with its next request."),
  },
  send: {
    title: t("Send a message"),
    text: t("A user message. It starts a turn."),
    label: t("Send"),
    notice: t("Sent."),
  },
  compact: {
    title: t("Sum up the conversation"),
    text: t(
      "A model sums up all but the newest messages, which stay as they are. What is stored does not change. What the summary is to keep is optional.",
    ),
    label: t("Sum up"),
    notice: t("The conversation is being summed up."),
  },
  interrupt: {
    title: t("Interrupt the turn"),
    text: t(
      "Stops the model and the tools. Finished work is kept, and every open call gets a result. The message to the model is optional.",
    ),
    label: t("Interrupt"),
    notice: t("Interrupted."),
  },
} as const;

/** Sends a message to the run, or interrupts it. */
export function MessageDialog({
  action,
  revision,
  text: initialText = "",
  error,
}: Extract<Dialog, { kind: "message" }>) {
  const [text, setText] = useState(initialText);
  const texts = TEXTS[action];
  const message = text.trim();
  const isInvalid = message === "" && action !== "interrupt" && action !== "compact";
  const send = async (): Promise<void> => {
    if (isInvalid || model.dialog === null) return; // null: already sent, before the next render
    model.set({ dialog: null });
    const { runId } = model.selection;
    const ack = await sendAndNotify(bodyOf(action, message, revision), texts.notice);
    if (!ack.ok && message !== "" && model.dialog === null && model.selection.runId === runId)
      model.set({
        dialog: {
          kind: "message",
          action,
          revision: model.row?.leaf,
          text: message,
          error: refusalText(ack),
        },
      });
  };
  return (
    <Frame title={texts.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        }}
      >
        <h2>{texts.title}</h2>
        <p className="muted">{texts.text}</p>
        <textarea
          className="input"
          rows={4}
          autoFocus
          aria-label={texts.title}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {error !== undefined && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        <footer>
          <Button tone="quiet" label={t("Cancel")} onClick={() => model.set({ dialog: null })} />
          <Button
            type="submit"
            label={texts.label}
            hint="Ctrl ↵"
            isDisabled={isInvalid}
            {...(action === "interrupt" && { tone: "bad" as const })}
          />
        </footer>
      </form>
    </Frame>
  );
}

function bodyOf(
  action: keyof typeof TEXTS,
  message: string,
  revision: string | undefined,
): Parameters<typeof sendAndNotify>[0] {
  const optional = message === "" ? {} : { text: message };
  if (action === "interrupt") return { type: action, ...optional };
  if (action === "compact") return { type: action, ...optional, ...expectRevision(revision) };
  return action === "steer"
    ? { type: action, text: message }
    : { type: action, text: message, ...expectRevision(revision) };
}
