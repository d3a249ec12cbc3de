import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { Frame } from "./frame.tsx";

/** Selects a step by its number. */
export function GoToDialog() {
  const [text, setText] = useState("");
  const { first } = model.run;
  const last = Math.max(model.run.last, model.run.total);
  const stepNumber = Number(text);
  const isInvalid = text === "" || !Number.isInteger(stepNumber) || stepNumber < first || stepNumber > last;
  return (
    <Frame title="Go to a step">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isInvalid) return;
          goTo(stepNumber);
          model.set({ dialog: null });
        }}
      >
        <h2>Go to a step</h2>
        <label>
          Step number ({first} to {last})
          <input
            className="input num"
            inputMode="numeric"
            autoFocus
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <footer>
          <Button type="submit" label="Go" isDisabled={isInvalid} />
        </footer>
      </form>
    </Frame>
  );
}
