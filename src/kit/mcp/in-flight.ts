import { delayOf } from "../../core/base/time.ts";
import { randomUUID } from "node:crypto";
import type {
  CallToolResult,
  ElicitRequestParams,
  ElicitResult,
  InputRequiredResult,
} from "@modelcontextprotocol/client";
import { isObject } from "../../core/base/json.ts";
import { rawResult } from "./mend-result.ts";
import type { McpEvent } from "./types.ts";

/** The options with which a call is made. */
export type CallWith = {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  readonly isIdempotent: boolean;
  readonly onProgress: (text: string) => void;
  /** Sent with the call, so that the spans of the server belong to the trace of the turn. */
  readonly traceparent?: string | undefined;
};

/** The outcome of a call so far: its result, or the requests that are to be answered before it goes on. */
export type Step =
  | { readonly result: CallToolResult }
  | {
      readonly requests: { readonly [key: string]: unknown };
      /** The state that a modern server wants back with the answers. */
      readonly requestState?: string;
      /** The id of a call that a legacy server runs meanwhile. */
      readonly held?: string;
      /** A legacy server has not run the call: it wants these pages to be visited before. */
      readonly visits?: true;
    };

/** The key of the one request of a legacy server. */
export const HELD_KEY = "question";

type Question = {
  readonly id: string;
  readonly params: ElicitRequestParams;
  readonly answer: (result: ElicitResult) => void;
};

/** A question, and what it is answered. */
type Asked = { readonly question: Question; readonly result: Promise<ElicitResult> };

/** The maximum number of questions of one call that may wait. */
const MAX_QUESTIONS = 20;
/** The code of an error that means that pages are to be visited before the call. */
const VISIT_FIRST = -32042;

/** Returns the step of an error that means that pages are to be visited. Throws any other error. */
function visitsOf(error: unknown): Step {
  const { code, data } = (error ?? {}) as { readonly code?: unknown; readonly data?: unknown };
  const list: unknown = code === VISIT_FIRST && isObject(data) ? data["elicitations"] : undefined;
  const pages = (Array.isArray(list) ? list.slice(0, MAX_QUESTIONS) : []).filter(isObject);
  if (pages.length === 0) throw error;
  const request = (params: object) => ({ method: "elicitation/create", params: { ...params, mode: "url" } });
  const requests = pages.map((page, index) => [`page_${index + 1}`, request(page)] as const);
  return { requests: Object.fromEntries(requests), visits: true };
}

/** The longest time that a timer can wait. */
export const NO_TIMEOUT = 2 ** 31 - 1;

/** A call that runs at a server. */
export class InFlight {
  readonly #controller = new AbortController();
  readonly #result: Promise<CallToolResult | InputRequiredResult>;
  readonly #lost: Promise<never>;
  #asked = Promise.withResolvers<Question>();
  #isAsked = false;
  /** Questions that came while another one was open. */
  #waiting: Question[] = [];
  /** The question that waits for an answer. */
  question: Question | undefined;
  /** The number of answers of a model that the call has got. */
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
    const timer = setTimeout(() => this.#controller.abort(), delayOf(timeoutMs));
    signal.addEventListener("abort", stop);
    if (signal.aborted) stop();
    const result = this.#result.then((value): Step => {
      if (!("resultType" in value) || value.resultType !== "input_required")
        return { result: rawResult(value) as CallToolResult };
      const { inputRequests = {}, requestState } = value as InputRequiredResult;
      return { requests: inputRequests, ...(requestState !== undefined && { requestState }) };
    }, visitsOf);
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

  /** Asks what a legacy server wants to know while the call runs: one question after the other. Undefined if too many wait. */
  ask(params: ElicitRequestParams, signal: AbortSignal): Asked | undefined {
    if (this.#waiting.length >= MAX_QUESTIONS) return undefined;
    const { promise, resolve } = Promise.withResolvers<ElicitResult>();
    const question: Question = {
      id: randomUUID(),
      params,
      answer: (result) => {
        this.#waiting = this.#waiting.filter((each) => each !== question);
        if (this.question === question) this.#open(this.#waiting.shift());
        resolve(result);
      },
    };
    signal.addEventListener("abort", () => question.answer({ action: "cancel" }), { once: true });
    if (this.question) this.#waiting.push(question);
    else this.#open(question);
    return { question, result: promise };
  }

  #open(question: Question | undefined): void {
    this.question = question;
    if (this.#isAsked) this.#asked = Promise.withResolvers();
    this.#isAsked = question !== undefined;
    if (question) this.#asked.resolve(question);
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
    const [call, ...others] = this.running.length === 0 ? this.#open : this.running;
    if (call === undefined || others.length > 0)
      return this.#cancelled(
        `${call === undefined ? "no call runs" : `${others.length + 1} calls run at once`}, so that it belongs to none`,
      );
    const asked = call.ask(params, signal);
    if (!asked) return this.#cancelled(`its call has asked ${MAX_QUESTIONS} others at once`);
    const { question, result } = asked;
    this.#held.set(question.id, call);
    const timer = setTimeout(() => question.answer({ action: "cancel" }), this.#heldMs);
    timer.unref();
    return result.finally(() => {
      clearTimeout(timer);
      this.#held.delete(question.id);
    });
  }

  #cancelled(reason: string): ElicitResult {
    this.#report("warning", `A question of the server was cancelled: ${reason}.`);
    return { action: "cancel" };
  }

  /** Answers the question of a held call, and returns the call; undefined if it is not held here any more. */
  answer(id: string, result: ElicitResult): InFlight | undefined {
    const call = this.#held.get(id);
    this.#held.delete(id);
    call?.question?.answer(result);
    return call;
  }
}
