import type { ElicitResult } from "@modelcontextprotocol/client";
import { AgentError } from "../../core/base/error.ts";
import { isTooDeep, isObject, type JsonObject } from "../../core/base/json.ts";
import { boundedSchema } from "../../core/tool/bounded-schema.ts";
import type { Ask, Decision } from "../../core/tool/pending.ts";

const MAX_MESSAGE = 4_000;
const MAX_SCHEMA = 20_000;

/** Returns the schema of an answer as far as it is checked in bounded time, when a person decides; the server checks the rest. */
function schemaOf(requested: unknown): JsonObject | undefined {
  if (!isObject(requested) || isTooDeep(requested) || JSON.stringify(requested).length > MAX_SCHEMA)
    return undefined;
  return boundedSchema(requested) as JsonObject;
}

/** Returns a server's question as an ask, under an id that fits a path; `index` makes one where the server's key does not. */
export function toAsk(key: string, index: number, params: unknown): Ask {
  const { message, requestedSchema, url, mode } = isObject(params) ? params : {};
  const id = /^(?!ask_\d+$)[\w.-]{1,64}$/.test(key) ? key : `ask_${index + 1}`;
  const said = typeof message === "string" ? message.slice(0, MAX_MESSAGE).toWellFormed() : "";
  if (mode === "url" || typeof url === "string")
    return { id, kind: "url", message: said, url: typeof url === "string" ? url : "" };
  const schema = schemaOf(requestedSchema);
  return { id, kind: "form", message: said, ...(schema && { schema }) };
}

/** Returns what the server is told of an answer. */
export function toElicitResult(answer: Decision | undefined, kind: Ask["kind"]): ElicitResult {
  if (answer === undefined) return { action: "cancel" };
  if (answer === "approve") return { action: "accept" };
  if (answer === "deny") return { action: "decline" };
  if (typeof answer !== "object") return { action: "cancel" };
  if ("respond" in answer) {
    const content = kind === "form" && isObject(answer.respond) ? answer.respond : undefined;
    return { action: "accept", ...(content && { content: content as ElicitResult["content"] & object }) };
  }
  if ("approve" in answer) return { action: "accept" };
  return { action: "decline" in answer || "deny" in answer ? "decline" : "cancel" };
}

/** Returns the method of a request in a result of a modern server, and its parameters. */
export function requestOf(
  server: string,
  request: unknown,
): { readonly method: string; readonly params: unknown } {
  if (isObject(request) && typeof request["method"] === "string")
    return { method: request["method"], params: request["params"] };
  throw new AgentError("tool/failed", `The MCP server '${server}' asks for something that is not a request.`);
}
