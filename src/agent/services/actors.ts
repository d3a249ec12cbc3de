import type { AnyActorRef } from "xstate";
import { agentResolver } from "../../../machines/agent/agent-chart.ts";
import type { AgentMachine } from "../../../machines/agent/agent.machine.ts";
import { persistence } from "../../../machines/agent/persistence.ts";
import { acceleratedMachine, type StepTaken } from "../../../machines/chart/accelerator.ts";
import { AgentError, agentErrorOf, errorInfo } from "../../core/base/error.ts";
import { causedBy } from "../steps.ts";
import { freeze, frozenCopy, type Json } from "../../core/base/json.ts";
import { HookSlots } from "./call-hook.ts";
import { runHooks } from "./run-hooks.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Msg } from "../../core/message/types.ts";
import type {
  BreakInput,
  BreakOutcome,
  CommitInput,
  CommitOutcome,
  HooksInput,
  HooksOutcome,
  ModelInput,
  ModelOutcome,
  ReviewInput,
  ReviewOutcome,
  ToolInput,
  ToolRunOutcome,
} from "../../../machines/agent/services.ts";
import { callModel, nativeOutput } from "./call-model.ts";
import { durationOf, runCall } from "./run-call.ts";
import type { Host, HostEffect } from "./host.ts";
import { promptOf } from "./request.ts";
import { reviewCalls } from "./review-calls.ts";
import { fromService, type ServiceScope } from "./from-service.ts";

/** The key under which an actor has its host. A weak map with a host for each actor would keep all of them through the collections of young
 *  objects. */
const HOST = Symbol("host");

type Hosted = AnyActorRef & { [HOST]?: Host };

/** Binds the actor of an agent machine to its host. One actor system may hold several agents. */
export function bindHost(agent: AnyActorRef, host: Host): void {
  (agent as Hosted)[HOST] = host;
}

/** Tells the host of a step. The actor that XState makes for a pure transition has none. */
export function tellHost(agent: AnyActorRef, step: StepTaken<AgentContext>): void {
  (agent as Hosted)[HOST]?.stepTaken(step);
}

/** Returns the host of an agent machine. Throws `config/no-slot` for an actor that createAgent() did not start. */
export function hostOf(agent: AnyActorRef | undefined): Host {
  const host = (agent as Hosted | undefined)?.[HOST];
  if (!host) throw new AgentError("config/no-slot", "This actor was not started by createAgent().");
  return host;
}

/** The actors of agent machines that somebody outside has: few, if any. */
const seen = new WeakSet<AnyActorRef>();

/** Says that somebody outside has the actor from now on. */
export function markShared(agent: AnyActorRef): void {
  seen.add(agent);
}

/** True for an actor of an agent that nobody outside has, nor a snapshot of it. False for the inert actor of a pure transition. */
export function isUnshared(agent: AnyActorRef): boolean {
  return (agent as Hosted)[HOST] !== undefined && !seen.has(agent);
}

/** Runs a service with a controller whose signal aborts when the chart stops the service or aborts all services. Whether it was
 *  stopped, so that its outcome is ignored, is what `isStopped` returns. */
async function withSignal<Input, Output>(
  { agent, onStop }: ServiceScope<Input>,
  serve: (host: Host, controller: AbortController, isStopped: () => boolean) => Promise<Output>,
): Promise<Output> {
  const host = hostOf(agent);
  const controller = new AbortController();
  let isStopped = false;
  onStop(() => {
    isStopped = true;
    controller.abort();
  });
  const release = host.hold(controller);
  try {
    await Promise.resolve(); // subscribers see the transition before its service begins
    return await serve(host, controller, () => isStopped);
  } finally {
    release();
  }
}

const model = fromService<ModelOutcome, ModelInput>((scope) =>
  withSignal(scope, async (host, controller, isStopped) =>
    freeze(await callModel(host, scope.input, controller, isStopped)),
  ),
);

const tool = fromService<ToolRunOutcome, ToolInput>((scope) =>
  withSignal(scope, async (host, controller, isStopped) =>
    frozenCopy(await runCall(host, scope.input, controller, isStopped)),
  ),
);

const review = fromService<ReviewOutcome, ReviewInput>(async ({ input, agent }) => {
  const host = hostOf(agent);
  const verdicts = await reviewCalls(host, input);
  return { at: host.now(), verdicts };
});

const breakpoints = fromService<BreakOutcome, BreakInput>(async ({ input, agent }) => {
  const host = hostOf(agent);
  try {
    const { stopBeforeRequest } = await import("./stop-before.ts");
    const reason = await stopBeforeRequest(host, input);
    return { at: host.now(), ...(reason !== undefined && { reason }) };
  } catch (error) {
    throw { ...host.failed(agentErrorOf(error, "store/failed")), at: host.now() };
  }
});

/** Returns the structured answer in a message with which hooks have replaced the answer of a native model. */
async function rewrittenOutput(
  host: Host,
  input: HooksInput,
  message: Msg | undefined,
): Promise<Json | undefined> {
  if (input.point !== "postReasoning" || !message || message === input.draft.message) return undefined;
  const { finishReason } = input.draft;
  return nativeOutput(host, { ...input, phase: "reasoning" }, { message, finishReason });
}

/** The hooks of the end of a turn, which see an outcome that a crash must not change. */
const AT_END: ReadonlySet<string> = new Set<HooksInput["point"]>(["postCall", "onInterrupt", "onError"]);

/** Makes the outcome durable, if steps of turns are. An error reaches those who wait for the journal. */
async function commitOutcome(host: Host): Promise<void> {
  const { store, sessionOptions } = host.config;
  if (store && sessionOptions?.durability !== "turn") await host.commit().catch(() => {});
}

const hooks = fromService<HooksOutcome, HooksInput>((scope) =>
  withSignal(scope, async (host, { signal }) => {
    const { input } = scope;
    if (AT_END.has(input.point)) await commitOutcome(host);
    if (signal.aborted) return { at: host.now() }; // aborted before it began
    const phase = input.point === "preSummary" ? "summary" : "reasoning";
    try {
      const run = () =>
        runHooks(
          {
            hooks: host.hooks(),
            event: host.hookEvent(input, signal),
            slots: new HookSlots(input.slots),
            prompt: (asked) => promptOf(host, { ...asked, phase }),
            durationOf: (call) => durationOf(call, host.now()),
            onFailure: (hook, error) =>
              host.emit({ type: "hook.failed", hook, error: errorInfo(error, "hook/failed") }),
          },
          input,
        );
      const { telemetry } = host;
      const outcome = await causedBy("hook", () => (telemetry ? telemetry.within(run) : run()));
      const value = await rewrittenOutput(host, input, outcome.message);
      return frozenCopy({ ...outcome, ...(value !== undefined && { value }), at: host.now() });
    } catch (error) {
      throw { ...host.failed(agentErrorOf(error, "hook/failed")), at: host.now() };
    }
  }),
);

const commit = fromService<CommitOutcome, CommitInput>(async ({ agent }) => {
  const host = hostOf(agent);
  await Promise.resolve();
  try {
    await host.commit();
    return { at: host.now() };
  } catch (error) {
    throw { ...host.failed(agentErrorOf(error, "store/failed")), at: host.now() };
  }
});

/** The chart with its slots filled. Each service finds its host by the machine that started it, so that several agents can live in
 *  one actor system. */
export const liveMachine = acceleratedMachine(
  agentResolver,
  {
    callModel: model,
    runTool: tool,
    reviewCalls: review,
    checkBreakpoints: breakpoints,
    runHooks: hooks,
    commit,
  },
  { isUnshared, stepTaken: tellHost },
  {
    persistence,
    perform: ({ self }: { readonly self: AnyActorRef }, effect: HostEffect) => hostOf(self).perform(effect),
  },
) as unknown as AgentMachine;
