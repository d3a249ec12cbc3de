import { isSame, isObject } from "../../../src/core/base/json.ts";
import type { Json, JsonObject, Msg } from "../wire/types.ts";
import { isMessage } from "./message-shape.ts";

/** The reply that the caller got, if hooks at the end of the turn made it another one than the answer that is stored. */
export function ownReply(context: JsonObject): Msg | undefined {
  const { outcome, messages } = context;
  const reply = isObject(outcome) ? outcome["reply"] : undefined;
  if (!isMessage(reply)) return undefined;
  const hooks: readonly unknown[] = Array.isArray(reply.changedBy) ? reply.changedBy : [];
  if (hooks.length === 0 || hooks.some((hook) => typeof hook !== "string")) return undefined;
  const stored: readonly Json[] = Array.isArray(messages) ? messages : [];
  const answer = stored.findLast((message) => isObject(message) && message["role"] === "assistant");
  return isObject(answer) && isSame(answer["content"], reply.content) ? undefined : reply;
}
