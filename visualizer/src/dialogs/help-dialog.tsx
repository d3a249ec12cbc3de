import { Button } from "../parts/button.tsx";
import { KEYS } from "../keys/keys.ts";
import { model } from "../store/model.ts";
import { prefer, usePreferences } from "../store/preferences.ts";
import { Frame } from "./frame.tsx";
import { t } from "../words/t.ts";

/** The keyboard shortcuts, and the option that disables them. */
export function HelpDialog() {
  const { keys } = usePreferences();
  return (
    <Frame title={t("Keyboard shortcuts")} isWide>
      <div className="inner">
        <h2>{t("Keyboard shortcuts")}</h2>
        <dl className="keys">
          {KEYS.map(({ show, label }) => (
            <div key={label}>
              <dt>
                {show.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{label}</dd>
            </div>
          ))}
        </dl>
        <p className="muted">{t("While a pending call has the focus: a approves, e edits, r denies.")}</p>
        <label className="check">
          <input type="checkbox" checked={keys} onChange={({ target }) => prefer({ keys: target.checked })} />{" "}
          {t("Enable single-key shortcuts")}
        </label>
        <footer>
          <Button label={t("Close")} onClick={() => model.set({ dialog: null })} />
        </footer>
      </div>
    </Frame>
  );
}
