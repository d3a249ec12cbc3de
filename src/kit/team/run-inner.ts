import { AgentError, agentErrorOf } from "../../core/base/error.ts";
import { LONGEST_DELAY_MS } from "../../core/base/time.ts";
import { suspend } from "../../core/tool/suspend.ts";
import type { AnyToolContext, ToolReturn } from "../../core/tool/types.ts";
import type { Limits } from "../../../machines/agent/limits.ts";
import { createInnerAgent } from "../../agent/create-agent.ts";
import type { InnerAgent } from "../../agent/inbox-agent.ts";
import { stepsOf } from "../../agent/steps.ts";
import { outerCallOf, type OuterCall } from "../../agent/services/run-call.ts";
import type { Budget, Input, Reply, Snapshot } from "../../agent/types.ts";
import { answerInside, budgetAsk, extendedBy, isGivenUp, waitingFor, type InnerState } from "./bubble.ts";
import { forwardEvents } from "./forward.ts";
import { innerConfig, limitsOf, waitMsOf } from "./inner-config.ts";
import { checkPath, MAX_DEPTH } from "../../agent/nested-path.ts";
import type { AgentToolAgent, AnyAgentToolOptions } from "./options.ts";
import { executionError, resultOf } from "./result.ts";

/** The part of the time of a call that is left for its agent to come to its end. */
const ENDING_SHARE = 4;

const LOST = "session/lease-lost";
/** The maximum number of times that an agent is run whose lease is lost. */
const MAX_RUNS = 3;

/** One call of an agent. */
export type InnerCall = {
  readonly options: AnyAgentToolOptions;
  readonly agent: AgentToolAgent;
  /** The id of its session behind that of the parent. */
  readonly part: string;
  readonly input: Input;
  readonly ctx: AnyToolContext;
  /** Sessions of agents that remember, of a parent without a store. */
  readonly snapshots: Map<string, Snapshot>;
};

/** The reason for which an agent does not go on: its parent was interrupted or ends, or the time of the call is over. */
type End = "signal" | "timeout";

/** The limits of an agent with what people have added to them. */
function totalOf(limits: Limits, extended: Limits): Limits {
  const names = Object.keys(limits) as (keyof Limits)[];
  return Object.fromEntries(names.map((name) => [name, limits[name]! + (extended[name] ?? 0)])) as Limits;
}

function givenLimits({ options, agent, ctx }: InnerCall, outer: OuterCall | undefined): Limits {
  const { budget = "share" } = options;
  if (budget === "share") return limitsOf(agent, outer?.host.shareOfBudget(ctx.callId) ?? {});
  const { onExceeded: _, ...limits } = budget;
  return limits;
}

function onExceededOf({ options: { budget }, agent }: InnerCall): Pick<Budget, "onExceeded"> {
  const { onExceeded } = (typeof budget === "object" ? budget : agent.budget) ?? {};
  return onExceeded ? { onExceeded } : {};
}

/** Ends an agent when its call is to end: it is parked if the parent leaves its session, and interrupted otherwise. */
class Ending {
  readonly #child: InnerAgent;
  readonly #outer: OuterCall | undefined;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  #isOpen = false;
  /** The reason for which it was ended; undefined if it was not. */
  cause: End | undefined;

  constructor(child: InnerAgent, { signal, deadlineAt }: AnyToolContext, outer: OuterCall | undefined) {
    this.#child = child;
    this.#outer = outer;
    this.#signal = signal;
    const left = deadlineAt - (outer?.host.now() ?? Date.now());
    const grace = outer?.host.config.turnOptions?.interruptGraceMs ?? 2_000;
    const delay = left - Math.min(grace, left / ENDING_SHARE);
    if (delay <= LONGEST_DELAY_MS) this.#timer = setTimeout(() => this.#end("timeout"), Math.max(0, delay));
    if (signal.aborted) this.#onAbort();
    else signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** The session of the agent is open now. Throws if the call has ended in the meantime. */
  opened(): void {
    this.#isOpen = true;
    if (this.cause) throw new AgentError("run/aborted", "The call has ended before its agent began.");
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener("abort", this.#onAbort);
  }

  readonly #onAbort = (): void => this.#end("signal");

  #end(cause: End): void {
    if (this.cause) return;
    this.cause = cause;
    queueMicrotask(() => {
      const isLeft = this.#outer?.host.isLeft() ?? false;
      // what its store refuses, the end of the call says
      if (isLeft) void this.#child.shutdown({ deadlineMs: 0 }).catch(() => {});
      else if (!this.#isOpen || !this.#child.interrupt()) void this.#child.close().catch(() => {});
    });
  }
}

/** Has the agent made its turn, or go on with it. Calls with the id of the outer call as their key: in each process it is the same turn. */
async function takeTurn(
  child: InnerAgent,
  { ctx, options, input }: InnerCall,
  outer: OuterCall | undefined,
): Promise<Reply<unknown>> {
  if (ctx.resumed && child.status().phase === "suspended") return child.call();
  const begin = (): Promise<Reply<unknown>> =>
    child.call(input, {
      ...(child.status().phase === "stopped" && options.output && { output: options.output }),
      idempotencyKey: ctx.callId,
    });
  try {
    return await begin();
  } catch (error) {
    const isWaiting = AgentError.is(error) && WAITING.includes(error.code);
    if (!isWaiting || !outer) throw error;
    if (outer.host.isWaitedFor(child.sessionId, ctx.callId))
      throw new AgentError(
        error.code,
        "The message was not read: the conversation waits for a person's answer to an earlier call. Send it again after that.",
        { cause: error },
      );
    child.interrupt(); // the process has died that was to do it when the call had its result for which it waits
    await child.rest();
    return begin();
  }
}

/** True if calls may share a session. */
const remembers = ({ session = "perCall" }: AnyAgentToolOptions): boolean => session !== "perCall";

/** Errors of a call to an agent that waits. */
const WAITING = ["run/pending", "run/undecided"];
/** Errors of a call that was refused before its turn began. */
const REFUSALS = ["run/pending", "run/busy", "run/key-reused", "message/invalid", "config/invalid"];

class InnerRun {
  readonly #call: InnerCall;
  readonly #outer: OuterCall | undefined;
  readonly #sessionId: string;
  readonly #limits: Limits;
  readonly #extended: Limits;
  #hasBegun = false;

  constructor(call: InnerCall) {
    this.#call = call;
    this.#outer = outerCallOf(call.ctx);
    const { ctx, part } = call;
    const state = ctx.resumed?.state as InnerState | undefined;
    const parentId = this.#outer?.host.sessionId;
    this.#sessionId = state?.sessionId ?? (parentId === undefined ? part : `${parentId}/${part}`);
    this.#limits = state?.limits ?? givenLimits(call, this.#outer);
    this.#extended = extendedBy(ctx.resumed);
  }

  get #isStored(): boolean {
    return this.#outer?.host.config.store !== undefined;
  }

  async run(): Promise<ToolReturn> {
    const { options, agent, ctx, snapshots } = this.#call;
    checkPath([...(this.#outer?.host.path ?? []), agent.name], options.maxDepth ?? MAX_DEPTH);
    const nothingLeft = this.#nothingLeft();
    if (nothingLeft) return nothingLeft;
    const child = this.#create();
    const ending = new Ending(child, ctx, this.#outer);
    const stopEvents = forwardEvents(child, ctx, this.#outer, options.forward ?? true);
    try {
      await child.open({ waitMs: waitMsOf(this.#outer?.host.config) });
      ending.opened();
      return await this.#drive(child, ending);
    } catch (error) {
      return this.#failed(child, ending, agentErrorOf(error, "tool/failed"));
    } finally {
      ending.stop();
      stopEvents();
      if (remembers(options) && !this.#isStored) snapshots.set(this.#sessionId, child.snapshot());
      await child.close();
    }
  }

  /** The outcome of a call whose agent may use nothing of a limit; undefined if it may use something of each. */
  #nothingLeft(): ToolReturn | undefined {
    const { agent, ctx } = this.#call;
    const total = totalOf(this.#limits, this.#extended);
    const name = (Object.keys(total) as (keyof Limits)[]).find((each) => total[each]! <= 0);
    if (name === undefined) return undefined;
    const message = `The budget of ${name} leaves nothing for agent '${agent.name}'.`;
    if (isGivenUp(ctx.resumed)) return executionError(message);
    const state: InnerState = {
      sessionId: this.#sessionId,
      limits: this.#limits,
      extended: this.#extended,
      hashes: {},
    };
    return suspend(message, { then: "resume", state: state as never, asks: [budgetAsk(message)] });
  }

  #create(): InnerAgent {
    const { agent, ctx, snapshots } = this.#call;
    const state = ctx.resumed?.state as InnerState | undefined;
    const config = innerConfig({
      agent: { ...agent, budget: { ...agent.budget, ...onExceededOf(this.#call) } },
      ctx,
      outer: this.#outer,
      sessionId: this.#sessionId,
      limits: totalOf(this.#limits, this.#extended),
      snapshot: state?.snapshot ?? snapshots.get(this.#sessionId),
    });
    const path = [...(this.#outer?.host.path ?? []), agent.name];
    return createInnerAgent(config, path, this.#outer?.host.ruleStates());
  }

  async #drive(child: InnerAgent, ending: Ending): Promise<ToolReturn> {
    const { ctx, options, part } = this.#call;
    const wait = (): ToolReturn =>
      waitingFor(child, {
        sessionId: child.sessionId,
        limits: this.#limits,
        extended: this.#extended,
        ...(!this.#isStored && { snapshot: child.snapshot() }),
      });
    if (ctx.resumed && child.status().phase === "suspended") {
      if (isGivenUp(ctx.resumed)) return this.#giveUp(child);
      if ((await answerInside(child, ctx.resumed)).length > 0) {
        this.#spend(child);
        return wait();
      }
    }
    this.#hasBegun = true;
    const reply = await takeTurn(child, this.#call, this.#outer);
    const isWaiting = child.status().phase === "suspended";
    this.#spend(child);
    if (ending.cause) throw this.#ended(ending);
    if (isWaiting) return wait();
    return resultOf(reply, {
      sessionId: child.sessionId,
      session: options.session === "perName" ? part : undefined,
      mode: options.reply ?? "text",
    });
  }

  /** A person does not let the agent go on. */
  async #giveUp(child: InnerAgent): Promise<ToolReturn> {
    const { reason } = child.status();
    child.interrupt();
    await child.rest();
    this.#spend(child);
    return executionError(
      reason === "BUDGET_EXCEEDED" ? `Agent '${child.name}' has used up its budget.` : "It was stopped.",
    );
  }

  #failed(child: InnerAgent, ending: Ending, error: AgentError): ToolReturn {
    if (this.#hasBegun && !REFUSALS.includes(error.code)) this.#spend(child);
    if (ending.cause) throw this.#ended(ending);
    if (error.code === LOST) throw error;
    return executionError(error.message);
  }

  #ended({ cause }: Ending): AgentError {
    const message =
      cause === "signal"
        ? "The call was interrupted."
        : "The time of the call is over, and its agent was interrupted. It may have taken effect.";
    return new AgentError(cause === "signal" ? "run/aborted" : "tool/timeout", message);
  }

  #spend(child: InnerAgent): void {
    const { stats } = child;
    const { modelCalls, toolCalls, usage } = stats;
    const extended = Object.keys(this.#extended).length > 0 && { extended: this.#extended };
    this.#outer?.remember(stepsOf(child).current().context.progress.rules);
    this.#outer?.spend({ modelCalls, toolCalls, usage, ...extended });
  }
}

/** Runs it, and again from where it was if the store was late to renew the lease of its session. */
async function runAgain(call: InnerCall): Promise<ToolReturn> {
  for (let run = 1; ; run++) {
    try {
      return await new InnerRun(call).run();
    } catch (error) {
      if (run === MAX_RUNS || !AgentError.is(error) || error.code !== LOST) throw error;
    }
  }
}

/** Runs the agent of a call until it has its reply or waits. */
export function runInner(call: InnerCall): Promise<ToolReturn> {
  const running = runAgain(call);
  outerCallOf(call.ctx)?.host.holdEnd(running.catch(() => {}));
  return running;
}
