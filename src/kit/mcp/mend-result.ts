import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { mendTools, type ListLimits, type Fault } from "./listed-tools.ts";
import { isAnswer, withoutNulls } from "./mend-answer.ts";

/** The key under which a result of a call is stored as its server sent it: the client would refuse all of it for one unknown part. */
const RAW = "agentchart/raw";
/** The maximum number of requests without an answer that are remembered. */
const MAX_OPEN = 10_000;

/** Returns the result of a call as its server sent it. */
export function rawResult(result: unknown): unknown {
  return isObject(result) && RAW in result ? result[RAW] : result;
}

/** The faults that are reported about a list of tools, and the limits with which it is read. */
export type Listing = { readonly note: (fault: Fault) => void; readonly limits: ListLimits };

/** Brings the results of a server into the form in which the client reads them, by what they answer. */
export class ResultMender {
  readonly #methods = new Map<string, string>();
  readonly #isModern: () => boolean;
  readonly #listing: () => Listing;

  constructor(isModern: () => boolean, listing: () => Listing) {
    this.#isModern = isModern;
    this.#listing = listing;
  }

  /** Watches what goes over a transport, before the client reads it. */
  watch(transport: Transport): void {
    const send = transport.send.bind(transport);
    Object.assign(transport, {
      send: (message, options) => {
        this.#sent(message);
        return send(message, options);
      },
      onmessage: (message) => this.#received(message),
    } satisfies Pick<Transport, "send" | "onmessage">);
  }

  #sent(messages: JSONRPCMessage | JSONRPCMessage[]): void {
    for (const message of [messages].flat()) {
      if (!("method" in message) || !("id" in message)) continue;
      if (this.#methods.size >= MAX_OPEN) this.#methods.clear();
      this.#methods.set(String(message.id), message.method);
    }
  }

  #received(message: unknown): void {
    if (!isObject(message)) return;
    if (!isAnswer(message)) {
      if (isObject(message["params"])) Object.assign(message, { params: withoutNulls(message["params"]) });
      return;
    }
    const id = String(message["id"]);
    const method = this.#methods.get(id);
    this.#methods.delete(id);
    const { result } = message;
    if (isObject(result)) Object.assign(message, { result: this.#mended(method, result) });
  }

  #mended(method: string | undefined, result: JsonObject): JsonObject {
    if (method === "tools/call") return this.#carried(result);
    const mended = withoutNulls(result) as { [field: string]: Json };
    if (method === "initialize") mended["capabilities"] ??= {};
    if (method === "tools/list") {
      mended["tools"] ??= [];
      const { note, limits } = this.#listing();
      mendTools(mended, this.#isModern(), note, limits);
    }
    return mended;
  }

  /** A result in which the client finds nothing to check. */
  #carried(result: JsonObject): JsonObject {
    const { resultType } = result;
    if (resultType === "input_required") return withoutNulls(result) as JsonObject;
    if (this.#isModern() && typeof resultType !== "string") return result;
    return { ...(typeof resultType === "string" && { resultType }), content: [], [RAW]: result };
  }
}
