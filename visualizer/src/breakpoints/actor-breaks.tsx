import { useState } from "react";
import { MAX_BREAK_TEXT, stateName, type ActorBreak } from "../../../src/inspect/protocol/actor-break.ts";
import { Frame } from "../dialogs/frame.tsx";
import { Button } from "../parts/button.tsx";
import { refusalText, sendCommand } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { canBreak } from "../store/open-breakpoints.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";

const NONE: readonly never[] = [];
const KINDS = ["event", "state"] as const;

/** Lists the conditions at which an actor of XState is paused, and adds and removes them. */
export default function ActorBreaks({ add }: { readonly add?: ActorBreak }) {
  const breaks = useModel(({ row }) => row?.actor?.breaks ?? NONE);
  const isOffered = useModel(canBreak);
  const isSent = useModel((all) => all.sent.has("breakAt"));
  const index = useModel((all) => all.chart?.index);
  const [kind, setKind] = useState<"event" | "state">(add && "state" in add ? "state" : "event");
  const [name, setName] = useState(add ? Object.values(add)[0]! : "");
  const [error, setError] = useState<string>();
  const isDisabled = !isOffered || isSent;
  const known =
    kind === "event"
      ? index?.chart.edges.map(({ event }) => event)
      : index?.chart.nodes
          .filter(({ parent }) => parent !== undefined)
          .map(({ id }) => stateName(id, index.root));
  const write = async (now: readonly ActorBreak[]): Promise<void> => {
    const ack = await sendCommand({ type: "breakAt", breaks: now });
    setError(ack.ok ? undefined : refusalText(ack));
    if (ack.ok) setName("");
  };
  const textOf = (each: ActorBreak): string =>
    "event" in each ? `${t("before the event")} ${each.event}` : `${t("in the state")} ${each.state}`;
  return (
    <Frame title={t("Breakpoints")}>
      <form
        data-testid="actor-breaks"
        onSubmit={(event) => {
          event.preventDefault();
          const made = kind === "event" ? { event: name.trim() } : { state: name.trim() };
          if (!isDisabled && name.trim() !== "") void write([...breaks, made]);
        }}
      >
        <h2>{t("Breakpoints")}</h2>
        <p className="muted">
          {t(
            "The actor is paused before an event, or after the event with which it comes into a state. What is sent to it waits until it goes on.",
          )}
        </p>
        <p className="note">
          {t(
            "XState takes events that a machine raises itself, and transitions without an event, together with the event before. It cannot be paused between them.",
          )}
        </p>
        {breaks.length === 0 && <p className="placeholder">{t("This run has no breakpoints.")}</p>}
        <ul className="breakpoints">
          {breaks.map((each, place) => (
            <li key={place} data-breakpoint={place}>
              <span className="mono">{textOf(each)}</span>
              <Button
                tone="quiet"
                icon="cross"
                title={t`Remove ${textOf(each)}`}
                isDisabled={isDisabled}
                onClick={() => void write(breaks.toSpliced(place, 1))}
              />
            </li>
          ))}
        </ul>
        <label>
          {t("Stop at")}
          <select
            className="input"
            value={kind}
            onChange={({ target }) => setKind(KINDS.find((each) => each === target.value)!)}
          >
            <option value="event">{t("an event")}</option>
            <option value="state">{t("a state")}</option>
          </select>
        </label>
        <label>
          {t("Its name, with * and ?")}
          <input
            className="input mono"
            list="actor-break-names"
            maxLength={MAX_BREAK_TEXT}
            spellCheck={false}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </label>
        <datalist id="actor-break-names">
          {[...new Set(known)].filter(Boolean).map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        {error !== undefined && (
          <p className="error" role="alert">
            {error}
          </p>
        )}
        {!isOffered && (
          <p className="note">
            {t("Not available:")} {t("no process drives the run")}.
          </p>
        )}
        <footer>
          <Button tone="quiet" label={t("Close")} onClick={() => model.set({ dialog: null })} />
          <Button
            type="submit"
            icon="plus"
            label={t("Add the breakpoint")}
            isDisabled={isDisabled || name.trim() === ""}
          />
        </footer>
      </form>
    </Frame>
  );
}
