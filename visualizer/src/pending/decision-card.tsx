import { Arguments, WaitTime } from "./call-arguments.tsx";
import { useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { DECISION_NOTES } from "../logic/step-notes.ts";
import { WAIT_TEXT } from "../logic/wait-text.ts";
import { Icon } from "../parts/icon.tsx";
import { WithCode } from "../parts/with-code.tsx";
import type { Decision, PendingItem } from "../wire/types.ts";
import { Answer } from "./answer.tsx";
import { Choices, type Remember } from "./choices.tsx";
import { Deny } from "./deny.tsx";
import { EditArguments } from "./edit-arguments.tsx";
import { useMode } from "./use-mode.ts";
import { said } from "../words/said.ts";
import { t } from "../words/t.ts";

/** Properties of {@link DecisionCard}. */
export type DecisionCardProps = {
  readonly item: PendingItem;
  readonly id?: string;
  /** True while a decision is on its way. */
  readonly isSent: boolean;
  /** The reason for which nothing can be decided now. */
  readonly disabledReason?: string | undefined;
  /** Resolves with the reason if the decision was refused. */
  readonly decide: (decision: Decision) => Promise<string | undefined>;
  /** Offers ways to run the call, above the choices and in place of theirs. */
  readonly choices?:
    | ((card: { readonly isDisabled: boolean; readonly edit: () => void }) => ReactNode)
    | undefined;
  /** Stands below the arguments. */
  readonly children?: ReactNode;
};

/**
 * A call that waits for a decision. Its owner removes it when the agent no longer reports the call, not before.
 */
export function DecisionCard({
  item,
  id,
  isSent,
  disabledReason: reason,
  decide: send,
  choices,
  children,
}: DecisionCardProps) {
  const card = useRef<HTMLElement>(null);
  const isUnknown = item.waitsFor === "unknownOutcome";
  const isAnswered = item.waitsFor === "externalResult" || item.waitsFor === "answer";
  const first = isAnswered ? "answer" : "choose";
  const [mode, setMode] = useMode(card, first);
  const [error, setError] = useState<string>();
  const [remember, setRemember] = useState<Remember>("");
  const approval: Decision = remember === "" ? "approve" : { approve: true, remember };
  const canDecide = reason === undefined;
  const decide = async (decision: Decision): Promise<void> => {
    setError(undefined);
    setError(await send(decision));
  };
  const isDecided = item.decided !== undefined;
  const isDisabled = isSent || isDecided || !canDecide;
  const keys = (event: KeyboardEvent<HTMLElement>): void => {
    if (
      isDisabled ||
      mode !== "choose" ||
      event.target !== event.currentTarget ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return;
    const action = {
      a: () => void decide(isUnknown ? "retry" : approval),
      e: () => void (isUnknown || item.ask || setMode("edit")),
      r: () => setMode("deny"),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  return (
    <article
      ref={card}
      className="approval"
      id={id}
      tabIndex={-1}
      data-pending={item.callId}
      data-kind={item.waitsFor}
      data-sent={isSent || undefined}
      data-decided={isDecided || undefined}
      aria-label={`${item.name} ${WAIT_TEXT[item.waitsFor]}`}
      onKeyDown={keys}
    >
      <header>
        <Icon name={isUnknown ? "question" : "hand"} />
        <h2>
          <span className="mono">{[...(item.path ?? []), item.name].join(" › ")}</span>{" "}
          {WAIT_TEXT[item.waitsFor]}
        </h2>
        <span className="spacer" />
        <WaitTime item={item} />
      </header>
      {item.reason !== undefined && !Object.values(item.input).includes(item.reason) && (
        <p className="reason">
          <WithCode text={said(item.reason)} />
        </p>
      )}
      {item.ask?.url !== undefined && <Page url={item.ask.url} />}
      {mode === "edit" ? (
        <EditArguments
          item={item}
          isDisabled={isDisabled}
          send={(edit) => void decide({ edit })}
          back={() => setMode("choose")}
        />
      ) : (
        <Arguments item={item} />
      )}
      {children}
      {mode === "choose" && choices?.({ isDisabled, edit: () => setMode("edit") })}
      {mode === "choose" && (
        <Choices
          item={item}
          isDisabled={isDisabled}
          hasWaysOn={choices !== undefined}
          remember={remember}
          setRemember={setRemember}
          approve={() => void decide(approval)}
          retry={() => void decide("retry")}
          setMode={setMode}
        />
      )}
      {mode === "deny" && (
        <Deny
          isDisabled={isDisabled}
          send={(reason) => void decide(reason === "" ? "deny" : { deny: reason })}
          back={() => setMode(first)}
        />
      )}
      {mode === "answer" && (
        <Answer
          item={item}
          isDisabled={isDisabled}
          send={(answer, text) => void decide(item.ask ? { respond: answer } : { answer: text })}
          deny={() => (item.ask ? void decide({ decline: true }) : setMode("deny"))}
          back={isAnswered ? undefined : () => setMode("choose")}
        />
      )}
      {isSent && <p className="note">{t("Sent. The agent has not confirmed it yet.")}</p>}
      {isDecided && (
        <p className="note">
          {t("Decided:")} {decisionText(item.decided!)}
          {t(". It takes effect when the turn continues.")}
        </p>
      )}
      {!canDecide && !isSent && (
        <p className="note" data-testid="disabled-reason">
          {t("Not available:")} {reason}.
        </p>
      )}
      {error !== undefined && (
        <p className="error" role="alert">
          {error}
        </p>
      )}
    </article>
  );
}

/** The page that a question wants visited. An address of another kind, which a file may hold, is text. */
function Page({ url }: { readonly url: string }) {
  if (!/^https?:\/\//i.test(url)) return <p className="mono">{url}</p>;
  return (
    <p>
      <a href={url} target="_blank" rel="noreferrer noopener">
        {url}
      </a>
    </p>
  );
}

function decisionText(decision: Decision): string {
  const kind = typeof decision === "string" ? decision : Object.keys(decision)[0]!;
  return DECISION_NOTES[kind] ?? kind;
}
