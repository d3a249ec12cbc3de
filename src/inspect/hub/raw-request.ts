import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { messageOf } from "../../core/base/error.ts";
import type { ModelRequest } from "../../core/model/port.ts";
import type { WireRequest } from "../../core/model/wire-request.ts";

type MakeRequest = (options: JsonObject, request: ModelRequest) => WireRequest;

/** The functions that make the requests of each adapter; loaded when they are asked for. */
const ADAPTERS: { readonly [adapter: string]: () => Promise<MakeRequest> } = {
  openai: async () => (await import("../../core/model/openai/wire-request.ts")).openaiWireRequest,
  "ai-sdk": async () => (await import("../../core/model/ai-sdk/wire-request.ts")).aiSdkWireRequest,
};

/** Returns the request that an adapter makes, or why there is none. `wire` is what the call recorded of its model, and `request` the request
 *  to the model; both come from outside and may be anything. */
export async function rawRequest(
  wire: Json | undefined,
  request: Json | undefined,
): Promise<{ readonly raw: WireRequest } | { readonly problem: string }> {
  if (!isObject(wire) || typeof wire["adapter"] !== "string" || !isObject(wire["options"]))
    return {
      problem: "This model does not say how it makes its requests: it is no adapter of this package.",
    };
  const { adapter, options } = wire as { readonly adapter: string; readonly options: JsonObject };
  if (!Object.hasOwn(ADAPTERS, adapter))
    return { problem: `This release does not have the adapter '${adapter}', which made the request.` };
  if (!isRequest(request)) return { problem: "A request has `messages`, `tools` and `options`." };
  try {
    const make = await ADAPTERS[adapter]!();
    return { raw: make(options, { ...(request as unknown as ModelRequest), execution: {} }) };
  } catch (error) {
    return { problem: `The adapter cannot make a request of it: ${messageOf(error)}` };
  }
}

function isRequest(request: Json | undefined): boolean {
  if (!isObject(request)) return false;
  const { messages, tools, options } = request;
  return Array.isArray(messages) && messages.every(isObject) && Array.isArray(tools) && isObject(options);
}
