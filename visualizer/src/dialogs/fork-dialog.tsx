import { useEffect, useState } from "react";
import { isMessage } from "../logic/message-shape.ts";
import { cut } from "../logic/json-rows.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { command } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { select } from "../store/navigate.ts";
import { HiddenIn } from "./hidden-in.tsx";
import { notify } from "../store/notices.ts";
import { useModel } from "../store/use-model.ts";
import type { Msg } from "../wire/types.ts";
import { Frame } from "./frame.tsx";

/** A new run with everything up to a step; the run it comes from stays as it is. */
export function ForkDialog({ q }: { readonly q: number }) {
  const seq = useModel(() => positionAfter(q));
  const messages = editableOf(q);
  const [plan, setPlan] = useState<readonly string[]>();
  const [messageId, setMessageId] = useState("");
  const [text, setText] = useState("");
  const [starts, setStarts] = useState(true);
  const [isSent, setSent] = useState(false);
  const [trouble, setTrouble] = useState<string>();
  useEffect(() => {
    if (seq === 0) return;
    let isWanted = true;
    void command({ type: "forkPlan", seq }).then(({ ok, data, error }) => {
      if (!isWanted) return;
      if (ok) setPlan(Array.isArray(data?.["willRun"]) ? data["willRun"].map(String) : []);
      else setTrouble(error?.message);
    });
    return () => {
      isWanted = false;
    };
  }, [seq]);
  const fork = async (): Promise<void> => {
    setSent(true);
    const edits = messageId === "" ? {} : { edits: [{ messageId, text }] };
    const ack = await command({ type: "fork", seq, ...edits, start: starts });
    setSent(false);
    if (!ack.ok) {
      setTrouble(ack.error?.message);
      return;
    }
    model.set({ dialog: null });
    const runId = ack.data?.["runId"] ?? ack.data?.["sessionId"];
    notify("good", "Forked. The run it comes from is untouched.");
    if (typeof runId === "string") select({ runId, q: null });
  };
  return (
    <Frame title={`Fork from step ${q}`}>
      <form
        data-testid="fork"
        onSubmit={(event) => {
          event.preventDefault();
          void fork();
        }}
      >
        <h2>
          <Icon name="fork" /> Fork from step {q}
        </h2>
        <p className="muted">
          A new run that has everything up to here. The run it comes from stays as it is.
        </p>
        {seq === 0 ? (
          <p className="trouble">
            This step is in no journal: a run can be forked only where its session has a store.
          </p>
        ) : (
          <WillRun plan={plan} />
        )}
        {messages.length > 0 && (
          <label>
            Change a message on the way
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
            <HiddenIn text={text} />
          </>
        )}
        <label className="check">
          <input type="checkbox" checked={starts} onChange={({ target }) => setStarts(target.checked)} /> run
          it at once
        </label>
        {trouble !== undefined && (
          <p className="trouble" role="alert">
            {trouble}
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

/** The position of the journal behind a step. A live step knows the one before it, so that of the next one counts. */
function positionAfter(q: number): number {
  const { run, row } = model;
  if (row?.source === "store") return run.at(q)?.j ?? 0;
  return (q >= run.last ? row?.seq : run.at(q + 1)?.j) ?? 0;
}

function WillRun({ plan }: { readonly plan: readonly string[] | undefined }) {
  if (!plan) return <p className="note">Asking what will run again …</p>;
  if (plan.length === 0) return <p className="note">Nothing that ran before runs again.</p>;
  return (
    <div className="will-run" data-testid="will-run">
      <p>
        <Icon name="warn" /> In the fork this may run again:
      </p>
      <ul className="mono">
        {plan.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ul>
    </div>
  );
}

/** Messages that are text of somebody: the newest first. */
function editableOf(q: number): readonly Msg[] {
  const messages = model.run.contextAt(q)?.["messages"];
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
