import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { commandAndSay } from "../store/commands.ts";
import { model } from "../store/model.ts";
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
export function SayDialog({ as }: { readonly as: keyof typeof WORDS }) {
  const [text, setText] = useState("");
  const words = WORDS[as];
  const said = text.trim();
  const isWrong = said === "" && as !== "interrupt";
  const send = (): void => {
    if (isWrong) return;
    model.set({ dialog: null });
    if (as === "interrupt")
      void commandAndSay({ type: "interrupt", ...(said !== "" && { text: said }) }, words.done);
    else void commandAndSay({ type: as, text: said }, words.done);
  };
  return (
    <Frame title={words.title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) send();
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
