import { useAgent } from "agentchart/react";
import { token } from "../parts/server.ts";
import { useLanguage } from "../words/language.tsx";
import { Parts } from "./message.tsx";

type Props = {
  /** The session of the agent, which lies inside of that of the clerk. */
  readonly sessionId: string;
  /** What the agent is writing. */
  readonly writing: string;
};

/** What an agent does inside of a call: its session, as any other one. */
export function SubagentWork({ sessionId, writing }: Props) {
  const { words } = useLanguage();
  const { messages, isConnected, error } = useAgent({ url: "", sessionId, token });
  const turns = messages.filter(({ role }) => role === "assistant");
  return (
    <section className="subagent" aria-label={words.subagent.work}>
      <h4>{words.subagent.names["investigator"]}</h4>
      {!isConnected && messages.length === 0 && !error && <p className="muted">{words.subagent.loading}</p>}
      {error && <p className="problem">{words.subagent.failed(words.errors[error.code] ?? error.message)}</p>}
      {turns.map(({ id, parts }) => (
        <Parts key={id} parts={parts} sessionId={sessionId} subagents={[]} waiting={[]} />
      ))}
      {writing !== "" && <p className="text">{writing}</p>}
    </section>
  );
}
