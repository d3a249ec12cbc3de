import { useEffect, useMemo, useRef, useState } from "react";
import type { Decision, PendingCall } from "agentchart";
import { useAgent, type AgentSession } from "agentchart/react";
import { Icon } from "../parts/icon.tsx";
import { token } from "../parts/server.ts";
import { linkTo } from "../parts/use-address.ts";
import { useLanguage } from "../words/language.tsx";
import { useSayings } from "./use-sayings.ts";
import { Composer } from "./composer.tsx";
import { Details } from "./details.tsx";
import { Message } from "./message.tsx";
import { PendingCard } from "./pending-card.tsx";
import { useFollow } from "./use-follow.ts";

type Props = {
  readonly id: string;
  /** As the list has it; undefined for one that it does not have yet. */
  readonly title: string | undefined;
  /** Called when the case has begun to work, to wait or to rest. */
  readonly onChange: () => void;
};

/** What the customer has said first. */
function firstText([first]: AgentSession["messages"]): string | undefined {
  const text = first?.parts.find(({ type }) => type === "text")?.["text"];
  return text === undefined ? undefined : String(text);
}

/** One case: the conversation, what waits for a decision, the plan. */
export function CaseView({ id, title, onChange }: Props) {
  const { words } = useLanguage();
  const agent = useAgent({ url: "", sessionId: id, token });
  const { messages, pending, status, isConnected, error, subagents } = agent;
  const heading = useRef<HTMLHeadingElement>(null);
  const [wasConnected, setWasConnected] = useState(false);
  if (isConnected && !wasConnected) setWasConnected(true);
  const follow = useFollow();
  useSayings(agent);
  useEffect(onChange, [status]);
  const waiting = useMemo(() => pending.map(({ callId }) => callId.split("/")[0]!), [pending]);
  const decide = async (call: PendingCall, decision: Decision): Promise<void> => {
    heading.current?.focus(); // the card that has the focus goes away
    await agent.decide(call, decision).catch(() => {}); // it is in `error`
  };
  return (
    <div className="case">
      <header className="case-head">
        <a className="back" href={linkTo({ at: "list" })}>
          <Icon name="back" />
          {words.back}
        </a>
        <h2 ref={heading} tabIndex={-1} data-heading>
          {title ?? firstText(messages) ?? words.case.untitled}
        </h2>
        <p className="phase" data-phase={status}>
          {words.status[status]}
        </p>
      </header>
      <Details {...agent} />
      <section
        className="conversation"
        aria-label={words.case.conversation}
        aria-busy={status === "running"}
        tabIndex={0}
        ref={follow.ref}
        onScroll={follow.onScroll}
      >
        <div className="column">
          <ol className="messages">
            {messages.map((message, index) => (
              <Message
                key={message.id}
                message={message}
                sessionId={id}
                subagents={index === messages.length - 1 ? subagents : NONE}
                waiting={index === messages.length - 1 ? waiting : NONE}
              />
            ))}
          </ol>
          {pending.map((call) => (
            <PendingCard
              key={`${call.callId} ${call.argsHash}`}
              call={call}
              decide={(decision) => void decide(call, decision)}
            />
          ))}
          {error && (
            <p className="problem" role="alert">
              {words.errors[error.code] ?? error.message}
            </p>
          )}
        </div>
      </section>
      {follow.isBehind && (
        <button type="button" className="newest" onClick={follow.toEnd}>
          <Icon name="down" />
          {words.case.newest}
        </button>
      )}
      <p className="connection" role="status">
        {!isConnected && (wasConnected ? words.case.offline : words.case.connecting)}
      </p>
      <Composer agent={agent} onSend={follow.toEnd} />
    </div>
  );
}

const NONE: readonly never[] = [];
