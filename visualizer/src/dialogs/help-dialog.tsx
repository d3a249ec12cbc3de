import { Button } from "../parts/button.tsx";
import { KEYS } from "../keys/keys.ts";
import { model } from "../store/model.ts";
import { prefer, usePreferences } from "../store/preferences.ts";
import { Frame } from "./frame.tsx";

/** What the keys do, and the switch that turns them off. */
export function HelpDialog() {
  const { keys } = usePreferences();
  return (
    <Frame title="Keys" isWide>
      <div className="inner">
        <h2>Keys</h2>
        <dl className="keys">
          {KEYS.map(({ show, what }) => (
            <div key={what}>
              <dt>
                {show.map((key) => (
                  <kbd key={key}>{key}</kbd>
                ))}
              </dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p className="muted">
          Only while a card of a waiting call has the focus: a approves, e edits, r denies.
        </p>
        <label className="check">
          <input type="checkbox" checked={keys} onChange={({ target }) => prefer({ keys: target.checked })} />{" "}
          single keys do these things
        </label>
        <footer>
          <Button label="Close" onClick={() => model.set({ dialog: null })} />
        </footer>
      </div>
    </Frame>
  );
}
