import { AgentError } from "../../core/base/error.ts";
import type { AgentToolRequest, AnyAgentToolOptions } from "./options.ts";

const MAX_LENGTH = 200;

/** Throws `config/invalid` for what cannot stand behind the id of the parent. */
function checkPart(part: unknown): asserts part is string {
  const isText = typeof part === "string" && part !== "" && part.length <= MAX_LENGTH && part.isWellFormed();
  const parts = isText ? part.split("/") : [];
  if (parts.length > 0 && parts.every((each) => each !== "" && each !== "." && each !== "..")) return;
  throw new AgentError(
    "config/invalid",
    `The id of an inner session is ${JSON.stringify(part) ?? String(part)}; expected 1 to ${MAX_LENGTH} characters without empty parts, "." and ".." between its "/".`,
  );
}

/** Returns the place where the agent of a call works: the part of the id of its session behind that of the parent. It always lies below the
 *  parent. */
export function sessionPart(
  session: AnyAgentToolOptions["session"],
  agent: string,
  request: AgentToolRequest,
): string {
  if (typeof session === "function") {
    const part = session(request);
    checkPart(part);
    return part;
  }
  if (session !== "perName") return request.callId;
  const { session_id: asked } = request.input as { readonly session_id?: string };
  if (asked === undefined || asked === "" || asked === agent) return agent;
  const part = asked.startsWith(`${agent}/`) ? asked : `${agent}/${asked}`;
  checkPart(part);
  return part;
}
