import { useState } from "react";
import { MAX_BREAK_TEXT, stateName, type ActorBreak } from "../../../src/inspect/protocol/actor-break.ts";
import { refusalText, sendCommand } from "../store/commands.ts";
import { useModel } from "../store/use-model.ts";
import { t } from "../words/t.ts";
import { BreakpointsFrame } from "./breakpoints-frame.tsx";

const NONE: readonly never[] = [];
const KINDS = ["event", "state"] as const;

/** Lists the conditions at which an actor of XState is paused, and adds and removes them. */
export default function ActorBreaks({ add: first }: { readonly add?: ActorBreak }) {
  const breaks = useModel(({ row }) => row?.actor?.breaks ?? NONE);
  const isSent = useModel((all) => all.sent.has("breakAt"));
  const index = useModel((all) => all.chart?.index);
  const [kind, setKind] = useState<"event" | "state">(first && "state" in first ? "state" : "event");
  const [name, setName] = useState(first ? Object.values(first)[0]! : "");
  const [error, setError] = useState<string>();
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
  const add = (): void => {
    void write([...breaks, kind === "event" ? { event: name.trim() } : { state: name.trim() }]);
  };
  const about = (
    <>
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
    </>
  );
  return (
    <BreakpointsFrame
      testId="actor-breaks"
      about={about}
      texts={breaks.map(textOf)}
      isSent={isSent}
      error={error}
      add={name.trim() === "" ? undefined : add}
      remove={(place) => void write(breaks.toSpliced(place, 1))}
    >
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
    </BreakpointsFrame>
  );
}
