import type { JsonObject } from "../../base/json.ts";
import { redactSecrets } from "../../base/secrets.ts";
import type { ChatModel, ModelRequest } from "../port.ts";
import { publicUrl, type WireRequest } from "../wire-request.ts";
import { withDashScopeFields } from "./dashscope-fields.ts";
import { dialectNameOf, dialectOf, type ChatDialect } from "./dialect.ts";
import { urlOf } from "./fetch-transport.ts";
import { responsesRequestOf, type ResponsesOptions } from "./responses-request.ts";
import { chatRequestOf, type ToChatRequestOptions } from "./to-chat-request.ts";

type Options = Omit<ToChatRequestOptions, keyof ChatDialect | "baseURL"> &
  ChatDialect &
  ResponsesOptions & { readonly baseURL: string; readonly api?: "chat" | "responses" | undefined };

/** The options of a model that decide about its requests. */
const RECORDED = [
  "model",
  "api",
  "formatter",
  "dialect",
  "builtInTools",
  "compactAt",
  "reasoningSummary",
  ...(Object.keys(dialectOf("")) as (keyof ChatDialect)[]),
] as const;

/** Returns how a model makes its requests, as data without secrets. */
export function openaiWire(options: Options): NonNullable<ChatModel["wire"]> {
  const fields = RECORDED.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]]));
  const shown = redactSecrets(Object.fromEntries(fields) as JsonObject);
  return { adapter: "openai", options: { ...shown, baseURL: publicUrl(options.baseURL) } };
}

/** Returns the request that {@link openaiModel}, or {@link dashscopeModel}, makes of a request. The values that {@link openaiWire} recorded
 *  of the model decide about it. A pure function. */
export function openaiWireRequest(options: JsonObject, request: ModelRequest): WireRequest {
  const { dashscope, ...rest } = options;
  const recorded = rest as unknown as Options;
  const model = { ...recorded, dialect: dialectNameOf(recorded) };
  const asked = dashscope
    ? { ...request, options: withDashScopeFields(request.options, dashscope as JsonObject) }
    : request;
  const isResponses = model.api === "responses";
  const body = isResponses ? responsesRequestOf(asked, model) : chatRequestOf(asked, model);
  return {
    url: urlOf(model.baseURL, isResponses ? "/responses" : "/chat/completions"),
    headers: {
      authorization: `Bearer $${dashscope ? "DASHSCOPE" : "OPENAI"}_API_KEY`,
      "content-type": "application/json",
    },
    body: body as unknown as JsonObject,
    notes: request.options.extraHeaders
      ? ["The headers of `extraHeaders` are left out, since they may hold secrets."]
      : [],
  };
}
