import { configError } from "../../base/error.ts";
import type { ModelRequest } from "../port.ts";
import { startCall, type CallOptions, type ChatCompletionsClient, type Post } from "./client.ts";
import { hostNameOf, type ChatDialect } from "./dialect.ts";
import { createPartReader, type PartReader } from "./part-reader.ts";
import { createResponsesReader } from "./responses-reader.ts";
import { responsesRequestOf, type ResponsesOptions } from "./responses-request.ts";
import { chatFormatOf } from "./to-chat-messages.ts";
import { chatRequestOf, chatRequestText, type ToChatRequestOptions } from "./to-chat-request.ts";

/** One of the two APIs: how a request is sent, and how its answer is read. */
export type Protocol = {
  /** Sends a request with a transport of our own. */
  post(post: Post, request: ModelRequest, options: CallOptions): Promise<Response>;
  /** Sends a request with the client of the options. */
  start(
    client: ChatCompletionsClient,
    request: ModelRequest,
    options: CallOptions,
  ): Promise<Response | AsyncIterable<unknown>>;
  createReader(): PartReader;
};

type ProtocolOptions = Omit<ToChatRequestOptions, keyof ChatDialect | "baseURL"> &
  ChatDialect &
  ResponsesOptions & { readonly baseURL: string };

/** Chat Completions. */
export function chatProtocol(options: ProtocolOptions): Protocol {
  const host = hostNameOf(options.baseURL);
  const format = chatFormatOf(options, host);
  return {
    post: (post, request, call) => post("/chat/completions", chatRequestText(request, options, format), call),
    start: (client, request, call) =>
      startCall(client.chat.completions, chatRequestOf(request, options, format), call),
    createReader: () => createPartReader(host),
  };
}

/** Responses. */
export function responsesProtocol(options: ProtocolOptions): Protocol {
  const host = hostNameOf(options.baseURL);
  return {
    post: (post, request, call) =>
      post("/responses", JSON.stringify(responsesRequestOf(request, options)), call),
    start: (client, request, call) => {
      if (!client.responses)
        throw configError('openaiModel: `client` has no `responses`, which `api: "responses"` needs.');
      return startCall(client.responses, responsesRequestOf(request, options), call);
    },
    createReader: () => createResponsesReader(host),
  };
}
