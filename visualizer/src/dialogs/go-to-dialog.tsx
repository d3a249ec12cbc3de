import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

/** Selects a step by its number. */
export function GoToDialog() {
  const [text, setText] = useState("");
  const { first } = model.run;
  const last = Math.max(model.run.last, model.run.total);
  const stepNumber = Number(text);
  const isInvalid = text === "" || !Number.isInteger(stepNumber) || stepNumber < first || stepNumber > last;
  return (
    <Frame title={t("Go to a step")}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isInvalid) return;
          goTo(stepNumber);
          model.set({ dialog: null });
        }}
      >
        <h2>{t("Go to a step")}</h2>
        <label>
          {t("Step number (")}
          {first} {t("to")} {last})
          <input
            className="input num"
            inputMode="numeric"
            autoFocus
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
        <footer>
          <Button type="submit" label={t("Go")} isDisabled={isInvalid} />
        </footer>
      </form>
    </Frame>
  );
}
