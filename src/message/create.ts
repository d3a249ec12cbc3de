import { randomUUID } from "node:crypto";
import { AgentError } from "../base/error.ts";
import type { Msg, Role, ToolResultState } from "./types.ts";

/** True under this key of a message's metadata keeps it out of a merged conversation. AgentScope's name. */
export const BYPASS_KEY = "_bypass_multiagent_history_merge";

function textMsg(role: Role, text: string, fields: Partial<Msg> | undefined): Msg {
  return {
    id: randomUUID(),
    role,
    name: role,
    content: [{ type: "text", text }],
    metadata: {},
    timestamp: Date.now(),
    ...fields,
  };
}

/** A user message of one text block, with a fresh id and the time of now. `fields` replace any of that. */
export function userMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("user", text, fields);
}

/** An assistant message, otherwise as {@link userMsg}. */
export function assistantMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("assistant", text, fields);
}

/** A system message, otherwise as {@link userMsg}. An agent takes its system text from `sysPrompt`, not from input. */
export function systemMsg(text: string, fields?: Partial<Msg>): Msg {
  return textMsg("system", text, fields);
}

/** A tool message that answers open calls: what `call` takes to resume a suspended turn. `state` defaults to `success`.
 *  Throws `message/invalid` for what is no list. */
export function toolResultMsg(
  results: readonly {
    readonly callId: string;
    readonly name: string;
    readonly text: string;
    readonly state?: ToolResultState;
  }[],
): Msg {
  if (!Array.isArray(results))
    throw new AgentError("message/invalid", "toolResultMsg takes a list of { callId, name, text }.");
  return {
    id: randomUUID(),
    role: "tool",
    name: "tool",
    content: results.map(({ callId, name, text, state = "success" }) => ({
      type: "tool_result",
      id: callId,
      name,
      output: [{ type: "text", text }],
      state,
    })),
    metadata: {},
    timestamp: Date.now(),
  };
}
