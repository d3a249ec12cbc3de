import { memo } from "react";
import type { AgentSession, Subagent } from "agentchart/react";
import { useLanguage } from "../words/language.tsx";
import { Thinking } from "./thinking.tsx";
import { ToolCall, type CallPart } from "./tool-call.tsx";
import { isAgentTool, isPlanTool } from "./tool-kinds.ts";

type TurnMessage = AgentSession["messages"][number];
type Part = TurnMessage["parts"][number];

type Props = {
  readonly message: TurnMessage;
  readonly sessionId: string;
  /** The agents that work inside of calls of this message now. */
  readonly subagents: readonly Subagent[];
  /** The calls that wait for a decision: their cards are below. */
  readonly waiting: readonly string[];
};

/** What the customer has said, or a turn of the clerk. A message that has not changed is not drawn anew. */
export const Message = memo(function Message({ message, sessionId, subagents, waiting }: Props) {
  const { words } = useLanguage();
  const { role, parts, metadata } = message;
  const ended = metadata?.reason === undefined ? undefined : words.end[metadata.reason];
  return (
    <li className="message" data-role={role}>
      <h3 className="author">{role === "user" ? words.author.customer : words.author.clerk}</h3>
      <Parts parts={parts} sessionId={sessionId} subagents={subagents} waiting={waiting} />
      {ended !== undefined && <p className="ended">{ended}</p>}
    </li>
  );
});

type PartsProps = Omit<Props, "message"> & { readonly parts: readonly Part[] };

/** The parts of a message, without those that are shown elsewhere. */
export function Parts({ parts, sessionId, subagents, waiting }: PartsProps) {
  const { words } = useLanguage();
  return parts.map((part, index) => {
    switch (part.type) {
      case "text":
        return part["text"] === "" ? null : (
          <p key={index} className="text">
            {String(part["text"])}
          </p>
        );
      case "reasoning":
        return <Thinking key={index} text={String(part["text"])} isRunning={part["state"] === "streaming"} />;
      case "dynamic-tool": {
        const call = part as unknown as CallPart;
        const isWaiting = waiting.includes(call.toolCallId);
        if (isPlanTool(call.toolName) || (isWaiting && !isAgentTool(call.toolName))) return null;
        const subagent = subagents.find(({ callId }) => callId === call.toolCallId);
        return (
          <ToolCall
            key={call.toolCallId}
            call={call}
            sessionId={sessionId}
            subagent={subagent}
            isWaiting={isWaiting}
          />
        );
      }
      case "steering-message": {
        const said = part["parts"] as unknown as readonly { readonly text: string }[];
        return (
          <div key={index} className="steering">
            <p className="author">{words.author.added}</p>
            <p className="text">{said.map(({ text }) => text).join("")}</p>
          </div>
        );
      }
      default:
        return null;
    }
  });
}
