import { useEffect, useState } from "react";
import { isMessage } from "../logic/message-shape.ts";
import { cut } from "../logic/json-rows.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { sendCommand } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import { HiddenCharacters } from "./hidden-characters.tsx";
import { notify } from "../store/notices.ts";
import { useModel } from "../store/use-model.ts";
import type { Msg } from "../wire/types.ts";
import { Frame } from "./frame.tsx";

/** Forks the run: creates a new run with everything up to a step. */
export function ForkDialog({ stepNumber }: { readonly stepNumber: number }) {
  const seq = useModel(() => positionAfter(stepNumber));
  const messages = editableOf(stepNumber);
  const [plan, setPlan] = useState<readonly string[]>();
  const [messageId, setMessageId] = useState("");
  const [text, setText] = useState("");
  const [starts, setStarts] = useState(true);
  const [isSent, setSent] = useState(false);
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (seq === 0) return;
    let isMounted = true;
    void sendCommand({ type: "forkPlan", seq }).then(({ ok, data, error }) => {
      if (!isMounted) return;
      if (ok) setPlan(Array.isArray(data?.["willRun"]) ? data["willRun"].map(String) : []);
      else setProblem(error?.message);
    });
    return () => {
      isMounted = false;
    };
  }, [seq]);
  const fork = async (): Promise<void> => {
    setSent(true);
    const edits = messageId === "" ? {} : { edits: [{ messageId, text }] };
    const ack = await sendCommand({ type: "fork", seq, ...edits, start: starts });
    setSent(false);
    if (!ack.ok) {
      setProblem(ack.error?.message);
      return;
    }
    model.set({ dialog: null });
    const runId = ack.data?.["runId"] ?? ack.data?.["sessionId"];
    notify("good", "Fork created. The original run is unchanged.");
    if (typeof runId === "string") select({ runId, stepNumber: null });
  };
  return (
    <Frame title={`Fork from step ${stepNumber}`}>
      <form
        data-testid="fork"
        onSubmit={(event) => {
          event.preventDefault();
          void fork();
        }}
      >
        <h2>
          <Icon name="fork" /> Fork from step {stepNumber}
        </h2>
        <p className="muted">
          Creates a new run with everything up to this step. The original run does not change.
        </p>
        {seq === 0 ? (
          <p className="error">This step is not in a journal: only runs with a store can be forked.</p>
        ) : (
          <WillRun plan={plan} />
        )}
        {messages.length > 0 && (
          <label>
            Change a message
            <select
              className="input"
              value={messageId}
              onChange={({ target }) => {
                setMessageId(target.value);
                setText(textOf(messages.find(({ id }) => id === target.value)));
              }}
            >
              <option value="">none</option>
              {messages.map((message) => (
                <option key={message.id} value={message.id}>
                  {message.role}: {cut(textOf(message).replaceAll(/\s+/g, " "), 70)}
                </option>
              ))}
            </select>
          </label>
        )}
        {messageId !== "" && (
          <>
            <textarea
              className="input"
              rows={5}
              aria-label="New text of the message"
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
            <HiddenCharacters text={text} />
          </>
        )}
        <label className="check">
          <input type="checkbox" checked={starts} onChange={({ target }) => setStarts(target.checked)} />{" "}
          Start it immediately
        </label>
        {problem !== undefined && (
          <p className="error" role="alert">
            {problem}
          </p>
        )}
        <footer>
          <Button tone="quiet" label="Cancel" onClick={() => model.set({ dialog: null })} />
          <Button type="submit" icon="fork" label="Fork" isDisabled={seq === 0 || isSent} />
        </footer>
      </form>
    </Frame>
  );
}

/**
 * The position in the journal after a step. A live step has the position before it, so that of the next step
 * counts.
 */
function positionAfter(stepNumber: number): number {
  const { run, row } = model;
  if (row?.source === "store") return run.at(stepNumber)?.journalSeq ?? 0;
  return (stepNumber >= run.last ? row?.seq : run.at(stepNumber + 1)?.journalSeq) ?? 0;
}

function WillRun({ plan }: { readonly plan: readonly string[] | undefined }) {
  if (!plan) return <p className="note">Checking which calls run again …</p>;
  if (plan.length === 0) return <p className="note">No earlier call runs again.</p>;
  return (
    <div className="will-run" data-testid="will-run">
      <p>
        <Icon name="warn" /> These calls may run again in the fork:
      </p>
      <ul className="mono">
        {plan.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}

/** The messages with editable text, newest first. */
function editableOf(stepNumber: number): readonly Msg[] {
  const messages = model.run.contextAt(stepNumber)?.["messages"];
  return Array.isArray(messages)
    ? messages
        .filter(isMessage)
        .filter((message) => textOf(message) !== "")
        .toReversed()
        .slice(0, 60)
    : [];
}

function textOf(message: Msg | undefined): string {
  return (message?.content ?? [])
    .flatMap((block) => (block.type === "text" && typeof block.text === "string" ? [block.text] : []))
    .join("\n");
}
