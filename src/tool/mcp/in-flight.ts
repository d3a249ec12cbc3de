import { randomUUID } from "node:crypto";
import type {
  CallToolResult,
  ElicitRequestParams,
  ElicitResult,
  InputRequiredResult,
} from "@modelcontextprotocol/client";
import type { McpEvent } from "./types.ts";

/** How a call is made. */
export type CallWith = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly isIdempotent: boolean;
  readonly onProgress: (text: string) => void;
  /** Sent with the call, so that the spans of the server belong to the trace of the turn. */
  readonly traceparent?: string | undefined;
};

/** What a call has led to: its result, or the requests that are to be answered before it goes on. */
export type Step =
  | { readonly result: CallToolResult }
  | {
      readonly requests: { readonly [key: string]: unknown };
      /** What a modern server wants back with the answers. */
      readonly requestState?: string;
      /** The id of a call that a legacy server runs meanwhile. */
      readonly held?: string;
    };

/** The key of the one request of a legacy server. */
export const HELD_KEY = "question";

type Question = {
  readonly id: string;
  readonly params: ElicitRequestParams;
  readonly answer: (result: ElicitResult) => void;
};

/** The longest time that a timer can wait. */
export const NO_TIMEOUT = 2 ** 31 - 1;

/** A call that runs at a server. */
export class InFlight {
  readonly #controller = new AbortController();
  readonly #result: Promise<CallToolResult | InputRequiredResult>;
  readonly #lost: Promise<never>;
  #asked = Promise.withResolvers<Question>();
  /** The question that waits for an answer. */
  question: Question | undefined;
  /** How many answers of a model the call has got. */
  samples = 0;

  constructor(
    send: (signal: AbortSignal) => Promise<CallToolResult | InputRequiredResult>,
    lost: Promise<never>,
  ) {
    this.#lost = lost;
    this.#result = send(this.#controller.signal);
  }

  /** Resolves when the call has ended, however it did. */
  async ended(): Promise<void> {
    await Promise.race([this.#result, this.#lost]).catch(() => {});
  }

  /** Waits for the result or for a question. An abort and a time-out cancel the call. */
  async next({ signal, timeoutMs }: Pick<CallWith, "signal" | "timeoutMs">): Promise<Step> {
    const stop = (): void => this.#controller.abort(signal.reason);
    const timer = setTimeout(() => this.#controller.abort(), timeoutMs);
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const result = this.#result.then((value): Step => {
      if (!("resultType" in value) || value.resultType !== "input_required")
        return { result: value as CallToolResult };
      const { inputRequests = {}, requestState } = value as InputRequiredResult;
      return { requests: inputRequests, ...(requestState !== undefined && { requestState }) };
    });
    const question = this.#asked.promise.then(({ id, params }): Step => ({
      requests: { [HELD_KEY]: { method: "elicitation/create", params } },
      held: id,
    }));
    try {
      return await Promise.race([result, question, this.#lost]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  /** Asks what a legacy server wants to know while the call runs. */
  ask(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const { promise, resolve } = Promise.withResolvers<ElicitResult>();
    const answer = (result: ElicitResult): void => {
      this.question = undefined;
      this.#asked = Promise.withResolvers();
      resolve(result);
    };
    this.question = { id: randomUUID(), params, answer };
    signal.addEventListener("abort", () => answer({ action: "cancel" }), { once: true });
    this.#asked.resolve(this.question);
    return promise;
  }
}

/** The calls that run at the servers of one connection. A legacy server keeps a call open while its question waits. */
export class InFlightCalls {
  readonly #open = new Set<InFlight>();
  readonly #held = new Map<string, InFlight>();
  readonly #heldMs: number;
  readonly #report: (type: McpEvent["type"], message: string) => void;

  constructor(heldMs: number, report: (type: McpEvent["type"], message: string) => void) {
    this.#heldMs = heldMs;
    this.#report = report;
  }

  add(call: InFlight): InFlight {
    this.#open.add(call);
    void call.ended().then(() => this.#open.delete(call));
    return call;
  }

  /** The calls that run now. */
  get running(): readonly InFlight[] {
    return [...this.#open].filter(({ question }) => !question);
  }

  /** A legacy server does not say which call its question belongs to: it is asked if only one can be meant, else cancelled. */
  async ask(params: ElicitRequestParams, signal: AbortSignal): Promise<ElicitResult> {
    const [call, ...others] = this.running;
    if (call === undefined || others.length > 0) {
      const count = call === undefined ? "no call runs" : `${others.length + 1} calls run at once`;
      this.#report(
        "warning",
        `A question of the server was cancelled: ${count}, so that it belongs to none.`,
      );
      return { action: "cancel" };
    }
    const answer = call.ask(params, signal);
    const { id, answer: give } = call.question!;
    this.#held.set(id, call);
    const timer = setTimeout(() => give({ action: "cancel" }), this.#heldMs);
    timer.unref();
    return answer.finally(() => {
      clearTimeout(timer);
      this.#held.delete(id);
    });
  }

  /** Answers the question of a held call, and returns the call; undefined if it is not held here any more. */
  answer(id: string, result: ElicitResult): InFlight | undefined {
    const call = this.#held.get(id);
    this.#held.delete(id);
    call?.question?.answer(result);
    return call;
  }
}
