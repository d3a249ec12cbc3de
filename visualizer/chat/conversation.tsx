import { useCallback, useEffect, useRef, useState } from "react";
import { useAgent, type AgentSession } from "../../src/ui/react/use-agent.ts";
import { compact } from "../src/logic/format.ts";
import { DecisionCard } from "../src/pending/decision-card.tsx";
import type { Decision, PendingItem } from "../src/wire/types.ts";
import { openBeside } from "./beside.ts";
import { Composer } from "./composer.tsx";
import { MessageView } from "./message-view.tsx";
import { sayAgain } from "./server.ts";
import { useEnd } from "./use-end.ts";
import { t } from "../src/words/t.ts";

type Props = {
  readonly id: string;
  readonly token: string;
  readonly agent: string | undefined;
  readonly inspector: string | undefined;
  /** Another chat has begun, in which a message of this one is said again. */
  readonly onBegun: (id: string) => void;
  /** The chat has begun, rests, or runs: the list of chats shows it. */
  readonly onChange: () => void;
};

/** The tenant of all chats: the id of a session in the store begins with it. */
const TENANT = "local";
const SAYS: { readonly [status in AgentSession["status"]]: string } = {
  ready: "ready",
  submitted: "sent",
  running: "working",
  suspended: t("waits for you"),
  failed: "failed",
};
/** What is said of a turn that has ended otherwise than with an answer. */
const REASONS: { readonly [reason: string]: string } = {
  INTERRUPTED: t("You have stopped this turn."),
  MAX_ITERATIONS: t("The agent has reached its limit of model calls."),
  BUDGET_EXCEEDED: t("The budget of this turn is used up: extend it in the inspector, or stop the turn."),
  REASONING_STOP_REQUESTED: t("A hook has stopped this turn. Say something to go on."),
  ACTING_STOP_REQUESTED: t("A hook has stopped this turn. Say something to go on."),
};

/** A chat: what was said, what waits for a decision, and the field for the next message. */
export function Conversation({ id, token, agent, inspector, onBegun, onChange }: Props) {
  const session = useAgent({ url: "", sessionId: id, token });
  const { messages, pending, status, state, reason, usage, error, isConnected } = session;
  const [problem, setProblem] = useState<string>();
  const scroller = useRef<HTMLDivElement>(null);
  const end = useEnd(scroller, messages, pending);
  useEffect(onChange, [onChange, status]);
  useEffect(() => {
    document.title = `${status === "ready" ? "" : `${SAYS[status]} – `}${agent ?? t("Chat")} – Agentchart`;
  }, [status, agent]);
  /** Tries, and shows what was refused. */
  const attempt = async (work: Promise<void>): Promise<void> => {
    setProblem(undefined);
    await work.catch((thrown: unknown) => {
      setProblem((thrown as Error).message);
      throw thrown;
    });
  };
  const again = useCallback(
    (message: string, text?: string) =>
      void sayAgain(token, { chat: id, message, agent }, text).then(onBegun, (thrown: unknown) =>
        setProblem((thrown as Error).message),
      ),
    [token, id, agent],
  );
  const isRunning = status === "running" || (status === "submitted" && pending.length === 0);
  const note = reason === undefined || status === "running" ? undefined : REASONS[reason];
  const shownError = problem ?? error?.message;
  return (
    <main className="conversation-page">
      <header className="chat-head">
        <h1>{agent ?? t("Chat")}</h1>
        <span
          className="badge"
          data-tone={status === "suspended" ? "amber" : status === "failed" ? "red" : "cyan"}
        >
          <span role="status">{isConnected ? SAYS[status] : t("connecting")}</span>
        </span>
        {status === "running" && state !== undefined && <span className="mono muted state">{state}</span>}
        <span className="spacer" />
        {usage.inputTokens !== undefined && (
          <span className="num muted" title={t("Tokens in and out")}>
            {compact(usage.inputTokens)}↓ {compact(usage.outputTokens)}↑
          </span>
        )}
        {inspector !== undefined && (
          <a
            className="button quiet"
            href={`${inspector}/run/${encodeURIComponent(`${TENANT}/${id}`)}`}
            target="_blank"
            rel="noreferrer"
          >
            {t("Inspect")}
          </a>
        )}
        {inspector !== undefined && (
          <button
            type="button"
            className="button quiet"
            title={t("Open the inspector in a window beside this one")}
            onClick={() => openBeside(`${inspector}/run/${encodeURIComponent(`${TENANT}/${id}`)}`)}
          >
            {t("Beside")}
          </button>
        )}
      </header>
      <div
        className="messages"
        ref={scroller}
        tabIndex={0}
        role="region"
        aria-label={t("Messages")}
        onScroll={end.onScroll}
      >
        {messages.map((message) => (
          <MessageView
            key={message.id}
            message={message}
            agent={agent}
            again={isRunning || message.role !== "user" ? undefined : again}
          />
        ))}
        {pending.map((call) => (
          <Waiting key={`${call.callId} ${call.argsHash}`} call={call} session={session} />
        ))}
        {note !== undefined && <p className="note end-note">{note}</p>}
        {shownError !== undefined && (
          <p className="error" role="alert">
            {shownError}
          </p>
        )}
      </div>
      <Composer
        send={(input) => attempt(session.send(input))}
        note={pending.length > 0 ? t("What you say now is answered after the open decisions.") : undefined}
        {...(isRunning && {
          running: {
            steer: (text) => attempt(session.steer(text)),
            stop: () => void attempt(session.interrupt()).catch(() => {}),
          },
        })}
      />
    </main>
  );
}

function Waiting({ call, session }: { readonly call: PendingItem; readonly session: AgentSession }) {
  const [isSent, setSent] = useState(false);
  const decide = async (decision: Decision): Promise<string | undefined> => {
    setSent(true);
    try {
      await session.decide(call, decision);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    } finally {
      setSent(false);
    }
  };
  return <DecisionCard item={call} isSent={isSent} decide={decide} />;
}
