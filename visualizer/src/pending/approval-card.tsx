import { Arguments, Since } from "./asked.tsx";
import { useRef, useState, type KeyboardEvent } from "react";
import { ASKS } from "../logic/asks.ts";
import { Icon } from "../parts/icon.tsx";
import { command } from "../store/commands.ts";
import { model } from "../store/model.ts";
import { hindranceTo } from "../store/hindrance.ts";
import { useModel } from "../store/use-model.ts";
import type { Decision, PendingItem } from "../wire/types.ts";
import { Answer } from "./answer.tsx";
import { Choices } from "./choices.tsx";
import { Deny } from "./deny.tsx";
import { EditArguments } from "./edit-arguments.tsx";
import { useMode } from "./use-mode.ts";

/** One call that waits for a person. It goes when the agent's own list is without it, not before. */
export function ApprovalCard({ item }: { readonly item: PendingItem }) {
  const card = useRef<HTMLElement>(null);
  const [mode, setMode] = useMode(card, item.waitsFor === "externalResult" ? "answer" : "choose");
  const [trouble, setTrouble] = useState<string>();
  const isSent = useModel((all) => all.sent.has(`call:${item.callId}`));
  const hindrance = useModel((all) => hindranceTo(all, "decide"));
  const canDecide = hindrance === undefined;
  const decide = async (decision: Decision): Promise<void> => {
    const { callId, argsHash } = item;
    const key = `call:${callId}`;
    if (model.sent.has(key)) return; // clicked once more before that was drawn
    setTrouble(undefined);
    const ack = await command({ type: "decide", callId, decision, argsHash }, key);
    if (!ack.ok) setTrouble(ack.error?.message ?? "It was refused.");
  };
  const isDecided = item.decided !== undefined;
  const isOff = isSent || isDecided || !canDecide;
  const keys = (event: KeyboardEvent<HTMLElement>): void => {
    if (isOff || mode !== "choose" || event.target !== event.currentTarget || event.ctrlKey || event.metaKey)
      return;
    const act = {
      a: () => void decide(item.waitsFor === "unknownOutcome" ? "retry" : "approve"),
      e: () => setMode("edit"),
      r: () => setMode("deny"),
    }[event.key];
    if (!act) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
  return (
    <article
      ref={card}
      className="approval"
      id="approval"
      tabIndex={-1}
      data-pending={item.callId}
      data-kind={item.waitsFor}
      data-sent={isSent || undefined}
      data-decided={isDecided || undefined}
      aria-label={`${item.name} ${ASKS[item.waitsFor]}`}
      onKeyDown={keys}
    >
      <header>
        <Icon name={item.waitsFor === "unknownOutcome" ? "question" : "hand"} />
        <h2>
          <span className="mono">{item.name}</span> {ASKS[item.waitsFor]}
        </h2>
        <span className="fill" />
        <Since item={item} />
      </header>
      {item.reason !== undefined && !Object.values(item.input).includes(item.reason) && (
        <p className="why">{item.reason}</p>
      )}
      {mode === "edit" ? (
        <EditArguments
          item={item}
          isOff={isOff}
          send={(edit) => void decide({ edit })}
          back={() => setMode("choose")}
        />
      ) : (
        <Arguments item={item} />
      )}
      {mode === "choose" && (
        <Choices item={item} isOff={isOff} decide={(decision) => void decide(decision)} setMode={setMode} />
      )}
      {mode === "deny" && (
        <Deny
          isOff={isOff}
          send={(reason) => void decide(reason === "" ? "deny" : { deny: reason })}
          back={() => setMode(item.waitsFor === "externalResult" ? "answer" : "choose")}
        />
      )}
      {mode === "answer" && (
        <Answer
          item={item}
          isOff={isOff}
          send={(answer) => void decide({ answer })}
          deny={() => setMode("deny")}
          back={item.waitsFor === "externalResult" ? undefined : () => setMode("choose")}
        />
      )}
      {isSent && <p className="note">Sent. The agent has not confirmed it yet.</p>}
      {isDecided && (
        <p className="note">Decided: {decisionText(item.decided!)}. It runs when the turn goes on.</p>
      )}
      {!canDecide && !isSent && (
        <p className="note" data-testid="hindrance">
          Nothing can be answered now: {hindrance}.
        </p>
      )}
      {trouble !== undefined && (
        <p className="trouble" role="alert">
          {trouble}
        </p>
      )}
    </article>
  );
}

function decisionText(decision: Decision): string {
  if (typeof decision === "string") return decision;
  const [kind] = Object.keys(decision);
  return kind ?? "something";
}
