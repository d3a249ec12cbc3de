import { AgentError } from "../../core/base/error.ts";
import type { Json } from "../../core/base/json.ts";
import type { Msg } from "../../core/message/types.ts";
import type { PendingCall } from "../../core/tool/pending.ts";
import type { OutputOf, Schema } from "../../core/tool/types.ts";
import { DrivenSession } from "../../agent/create-agent.ts";
import { limitError, withinLimits, type Limit, type OnBegin } from "../../agent/call-limits.ts";
import { checkCallOptions } from "../../agent/options/call-schema.ts";
import type { AnyAgentConfig } from "../../agent/options/agent-config.ts";
import type { AnyCallOptions, Input, Reply, AnyReply } from "../../agent/types.ts";
import { heardBy, type UserAsk } from "./user-ask.ts";

/** The maximum number of times that a person is asked again whose answer was refused. */
const MAX_TRIES = 10;
/** The time for which a call waits for its end when its time is over, ms: by default as long as any agent. */
const GRACE_MS = 2_000;

/** The outcome of the wait for a person: an answer (undefined: no answer is given), or nobody waits any more. */
type Answered = { readonly answer: Json | undefined } | "gone";

/** The session of a person, whom this process asks. The turn is suspended all the while, so that others may answer too. */
export class UserSession extends DrivenSession {
  readonly #ask: UserAsk | undefined;
  readonly #graceMs: number;
  /** Ends the question that is asked now, as one that the person does not want to answer. */
  #decline: (() => void) | undefined;

  constructor(config: AnyAgentConfig, ask: UserAsk | undefined) {
    super(config);
    this.#ask = ask;
    this.#graceMs = config.turnOptions?.interruptGraceMs ?? GRACE_MS;
  }

  override async call<const S extends Schema | undefined = undefined>(
    input?: Input,
    options: AnyCallOptions<S> = {},
  ): Promise<Reply<OutputOf<S>>> {
    if (!this.#ask) return super.call(input, options);
    checkCallOptions(options);
    const { signal, timeoutMs, fallbackReply, ...others } = options;
    const limits = {
      ...(signal && { signal }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(fallbackReply !== undefined && { fallbackReply }),
    };
    return withinLimits(limits, this.#graceMs, (onBegin) =>
      this.#converse(input, others as AnyCallOptions<S>, onBegin, fallbackReply),
    );
  }

  override interrupt(message?: string | Msg, inputId?: string): boolean {
    if (!this.#decline || message !== undefined) return super.interrupt(message, inputId);
    this.#decline();
    return true;
  }

  /** Makes the call, and asks the person whenever it waits for one. */
  async #converse<S extends Schema | undefined>(
    input: Input,
    options: AnyCallOptions<S>,
    onBegin: OnBegin,
    fallbackReply: string | undefined,
  ): Promise<Reply<OutputOf<S>>> {
    const ended: { by?: Limit } = {};
    onBegin((cause) => {
      ended.by = cause;
      super.interrupt();
    });
    await this.open();
    const goesOn = (input === undefined || input === null) && this.#question() !== undefined;
    let reply: Reply<OutputOf<S>> | undefined = goesOn ? undefined : await super.call(input, options);
    for (let question = this.#question(); question && !ended.by; question = this.#question()) {
      await this.#answer(question);
      reply = this.status().phase === "suspended" ? ((await super.call()) as AnyReply) : undefined;
    }
    if (ended.by && (ended.by === "signal" || fallbackReply === undefined)) throw limitError(ended.by);
    const last = reply ?? (await this.lastReply(options.output as S));
    return ended.by
      ? { ...last, text: fallbackReply!, content: [{ type: "text", text: fallbackReply! }] }
      : last;
  }

  /** The question for which the turn waits. */
  #question(): PendingCall | undefined {
    const { phase, pending } = this.status();
    return phase === "suspended" ? pending.find(({ ask, decided }) => ask && !decided) : undefined;
  }

  /** Asks the person until the answer is accepted, or nobody waits for it any more. */
  async #answer(question: PendingCall): Promise<void> {
    let problem: string | undefined;
    for (let tries = 1; ; tries++) {
      const answered = await this.#wait(question, problem);
      if (answered === "gone") break;
      const { answer } = answered;
      const decision = answer === undefined ? ({ decline: true } as const) : { respond: answer };
      try {
        await this.decide(question.callId, decision, { argsHash: question.argsHash });
        return;
      } catch (error) {
        if (!AgentError.is(error) || error.code === "run/closed") throw error;
        if (this.#question()?.callId !== question.callId) break;
        if (error.code !== "run/bad-results" || tries === MAX_TRIES) throw error;
        problem = error.message;
      }
    }
    await this.rest();
  }

  /** Asks the person once. */
  async #wait({ callId }: PendingCall, problem: string | undefined): Promise<Answered> {
    const heard = heardBy(this.name, await this.messages());
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<Answered>();
    const look = (): void => {
      if (this.#question()?.callId !== callId) resolve("gone");
    };
    const watching = this.actor.subscribe({ next: look, complete: () => resolve("gone") });
    this.#decline = () => resolve({ answer: undefined });
    try {
      look();
      const { answerSchema } = this.status().pending.find((each) => each.callId === callId) ?? {};
      const isText = answerSchema?.["type"] === "string" && Object.keys(answerSchema).length === 1;
      const question = {
        name: this.name,
        ...(answerSchema && !isText && { schema: answerSchema }),
        ...(problem !== undefined && { problem }),
        signal: controller.signal,
      };
      const asked = (async (): Promise<Answered> => ({ answer: await this.#ask!(heard, question) }))();
      asked.catch(() => {}); // it may reject because it is aborted
      return await Promise.race([promise, asked]);
    } finally {
      this.#decline = undefined;
      watching.unsubscribe();
      controller.abort();
    }
  }
}
