import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { commandAndSay, refusalText, seen } from "../store/commands.ts";
import { model, type Dialog } from "../store/model.ts";
import { Frame } from "./frame.tsx";

const WORDS = {
  steer: {
    title: "Steer the turn",
    text: "The model reads this with its next request; what runs goes on.",
    label: "Steer",
    done: "The model reads it with its next request.",
  },
  send: {
    title: "Send a message",
    text: "A message of the user: it begins a turn.",
    label: "Send",
    done: "Sent.",
  },
  interrupt: {
    title: "Interrupt the turn",
    text: "The model and the tools are told to end. What was done is kept, every open call is answered. You may say something to the model.",
    label: "Interrupt",
    done: "Interrupted.",
  },
} as const;

/** A word to the run. */
export function SayDialog({ as, leaf, text: before = "", trouble }: Extract<Dialog, { kind: "say" }>) {
  const [text, setText] = useState(before);
  const words = WORDS[as];
  const said = text.trim();
  const isWrong = said === "" && as !== "interrupt";
  const send = async (): Promise<void> => {
    if (isWrong || model.dialog === null) return; // null: said, and not drawn yet
    model.set({ dialog: null });
    const { runId } = model.selection;
    const ack = await commandAndSay(bodyOf(as, said, leaf), words.done);
    if (!ack.ok && said !== "" && model.dialog === null && model.selection.runId === runId)
      model.set({
        dialog: { kind: "say", as, leaf: model.row?.leaf, text: said, trouble: refusalText(ack) },
      });
  };
  return (
    <Frame title={words.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) void send();
        }}
      >
        <h2>{words.title}</h2>
        <p className="muted">{words.text}</p>
        <textarea
          className="input"
          rows={4}
          autoFocus
          aria-label={words.title}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        {trouble !== undefined && (
          <p className="trouble" role="alert">
            {trouble}
          </p>
        )}
        <footer>
          <Button tone="quiet" label="Cancel" onClick={() => model.set({ dialog: null })} />
          <Button
            type="submit"
            label={words.label}
            hint="Ctrl ↵"
            isDisabled={isWrong}
            {...(as === "interrupt" && { tone: "bad" as const })}
          />
        </footer>
      </form>
    </Frame>
  );
}

function bodyOf(
  as: keyof typeof WORDS,
  said: string,
  leaf: string | undefined,
): Parameters<typeof commandAndSay>[0] {
  if (as === "interrupt") return { type: as, ...(said !== "" && { text: said }) };
  return as === "steer" ? { type: as, text: said } : { type: as, text: said, ...seen(leaf) };
}
