import type { CallAccount, Json, JsonObject } from "agentchart";
import type { Subagent } from "agentchart/react";
import { Icon } from "../parts/icon.tsx";
import type { Words } from "../words/en.ts";
import { useLanguage } from "../words/language.tsx";
import { Fields } from "./fields.tsx";
import { SubagentWork } from "./subagent-work.tsx";
import { isAgentTool } from "./tool-kinds.ts";

/** A call as a message has it. */
export type CallPart = {
  readonly toolName: string;
  readonly toolCallId: string;
  readonly state: string;
  readonly input?: JsonObject;
  readonly output?: Json;
  readonly errorText?: string;
  /** What became of the call beside its result. */
  readonly toolMetadata?: { readonly account?: CallAccount };
};

type Props = {
  readonly call: CallPart;
  readonly sessionId: string;
  /** The agent that works inside of the call now. */
  readonly subagent: Subagent | undefined;
  /** True if something inside of the call waits for a decision. */
  readonly isWaiting: boolean;
};

const ICONS: { readonly [state: string]: "done" | "failed" | "wait" } = {
  "output-available": "done",
  "output-error": "failed",
  "output-denied": "failed",
};

/** The object that a result is; undefined if it is a text. */
function objectOf(output: Json | undefined): JsonObject | undefined {
  if (typeof output !== "string") return undefined;
  try {
    const read = JSON.parse(output) as Json;
    return typeof read === "object" && read !== null && !Array.isArray(read)
      ? (read as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Who has decided the call, and which hooks have changed its arguments. */
function toldOf({ toolMetadata }: CallPart, { tool }: Words): readonly string[] {
  const { decided = [], changed = [] } = toolMetadata?.account ?? {};
  return [
    ...changed.flatMap(({ by }) => ("hook" in by ? [tool.changed(by.hook)] : [])),
    ...decided.flatMap(({ decision, by }) => tool.decided[decision]?.(by ?? tool.someone) ?? []),
  ];
}

/** A call of a tool with its state; what was asked for and what came of it are behind a line that opens them. */
export function ToolCall({ call, sessionId, subagent, isWaiting }: Props) {
  const { words } = useLanguage();
  const { toolName, toolCallId, state, input, output, errorText } = call;
  const isAgent = isAgentTool(toolName);
  const isOver = state.startsWith("output");
  const fields = objectOf(output);
  const { schema: _, ...given } = input ?? {};
  return (
    <details className="call" data-state={state}>
      <summary>
        <Icon name={ICONS[state] ?? "wait"} />
        <span className="call-name">{words.tool.names[toolName] ?? toolName}</span>
        <span className="call-state">{words.tool.states[state] ?? state}</span>
        <Icon name="open" />
        {subagent && subagent.text !== "" && <span className="call-live">{subagent.text}</span>}
      </summary>
      <div className="call-body">
        {Object.keys(given).length > 0 && (
          <>
            <h4>{words.tool.given}</h4>
            <Fields value={given} />
          </>
        )}
        {toldOf(call, words).map((line) => (
          <p key={line} className="text">
            {line}
          </p>
        ))}
        {isAgent && (subagent || isWaiting || isOver) && (
          <SubagentWork sessionId={`${sessionId}/${toolCallId}`} writing={subagent?.text ?? ""} />
        )}
        {isOver &&
          !(isAgent && output !== undefined) &&
          (output !== undefined || errorText !== undefined) && (
            <>
              <h4>{words.tool.result}</h4>
              {fields ? <Fields value={fields} /> : <p className="text">{errorText ?? String(output)}</p>}
            </>
          )}
      </div>
    </details>
  );
}
