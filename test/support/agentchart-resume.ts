import {
  createAgent as createBare,
  defineTool as defineBare,
  type Agent,
  type AnyAgent,
  type AgentConfig,
  type AnyAgentConfig,
  type AnyHook,
} from "../../src/index.ts";
import { Resumed } from "./resumed.ts";
import { isListed, isSound, type Listed } from "./listed.ts";

export * from "../../src/index.ts";
export { restores } from "./resumed.ts";

/** Where an agent is killed while a turn runs. Its services wait a microtask before they begin, so at this moment the
 *  model was not asked, the hooks of the state have not run, and no tool has started. */
export const KILLED_IN = [
  "doCall.preCall",
  "reasoning.checkingBreakpoints",
  "reasoning.preHooks",
  "reasoning.backingOff",
  "reasoning.compacting.preHooks",
  "reasoning.compacting.backingOff",
  "summarizing.preHooks",
  "summarizing.backingOff",
  "acting.preHooks",
  "acting.reviewing",
  "acting.postHooks",
];

/** Also where an agent is killed; but then something is done or counted twice: the pre-hooks run again, the request that
 *  was about to be made counts as made, an answer that was not stored is asked for again, and so is a call whose tool was
 *  about to run (the tools here say `onRestart: "retry"`). */
export const KILLED_IN_MIDST = [
  "reasoning.calling",
  "reasoning.compacting.calling",
  "reasoning.compacting.postHooks",
  "reasoning.postHooks",
  "summarizing.calling",
  "summarizing.postHooks",
  "acting.executing",
];

/** Tests of the agent suite in which no agent is killed, and why. */
export const NOT_KILLED: Listed = {
  "with `later` asks the model that extracts once for each turn":
    "counts extractions: one whose end the session has not noted is made again, and not kept twice",
  "rest.test.ts": "counts the rests of a session: it rests again when it is restored",
  "caller.test.ts": "is about the stack of the process that calls",
  "a listener of turn.start can interrupt the turn and speak into it":
    "interrupts in the very step in which the process would end: nothing of it is stored yet",
  "leaving a stream that has joined a turn by its key leaves the turn to those who began it":
    "is about the callers of one process: a restored agent has none of them",
  "leaving a stream whose turn waits for its place leaves the turn before it, and its own does not begin":
    "is about the callers of one process: a restored agent has none of them",
  "a refused call does not cancel the structured output of the turn":
    "is about the schema that one process has: a restored agent needs it again",
  "never end a turn, however many there are and however the model counts":
    "makes turns of hundreds of calls, of which each would be killed",
  "count as failed: no other is made in the turn until the model refuses a prompt":
    "counts summaries in turns of many rounds",
  "a listed tool that the agent gets later is its own":
    "adds a tool to an agent that runs: a configuration cannot have a tool that it lists in clientTools",
};

/** Files and tests of the agent suite that are about what happens twice if a process ends in the midst, and why. */
export const NOT_KILLED_IN_MIDST: Listed = {
  "account.test.ts": "writes down each attempt: one that was cut off is one more",
  "golden-traces.test.ts": "writes down every run of a pre-hook",
  "budget.test.ts": "counts requests and calls: one that may have been made counts",
  "counts.test.ts": "counts requests: one that may have been made counts",
  "reported-usage.test.ts": "counts the usage of requests: one that may have been made counts",
  "a decision about a call whose permission is settled is refused as one that the call does not take":
    "limits the calls: one that may have been made counts",
  "limits-of-budget.test.ts": "counts requests and calls: one that may have been made counts",
  "steered-at-once.test.ts": "counts requests: one that may have been made counts",
  "stay whole if the tool is one of those whose results are always shown whole":
    "asks for a summary twice, and what the second request begins with is lost each time",
  "usage.test.ts": "sums up the usage of every request",
  "a retry that is due waits for a free place, without keeping the process busy":
    "counts attempts: one that may have been made counts",
  "agent-logic-restored.test.ts":
    "restores its machines itself, and asks a person about a call that was cut off",
  "attempts.test.ts": "counts attempts: one that may have been made counts",
  "goes on with the prompt and the tools of the persona, in one transcript":
    "counts requests and calls: one that may have been made counts",
  "may be handed back, also to a model of its own": "counts requests: one that may have been made counts",
  "counts what the agent uses as used by the turn of the parent":
    "counts requests and calls: one that may have been made counts",
  "whose agent fails is an error, and what it used counts":
    "counts requests: one that may have been made counts",
  "S30 by a time-out of the call is a result in time, and what was used counts":
    "counts requests: one that may have been made counts",
  "without one": "is about what an agent keeps in its process, if there is no store",
  "are events of the outermost one, with their source, in pairs and with ids that are unique in it":
    "sees the run of an agent that a process began and another one goes on with",
  "goes on within the parent's budget, which is extended with it":
    "counts requests: one that may have been made counts",
  "a share that is nothing asks before its agent begins":
    "counts requests: one that may have been made counts",
  "lets it run before, and once the other one has failed":
    "a call that was cut off may have taken effect, which counts against others",
  "lets another call try after one that has failed, and none after one that may have taken effect":
    "a call that was cut off may have taken effect, which counts against others",
  "a retry of a call counts in the place of the attempt before":
    "counts attempts: one that may have been made counts",
  "retry-on.test.ts": "counts attempts: one that may have been made counts",
  "a tool whose error has retryAfterMs is not called before that time":
    "counts attempts: one that may have been made counts",
  "a reply reports the counters of its turn": "counts requests and calls",
  "a model call that fails before its first part is retried, and the attempts are counted":
    "counts attempts: one that may have been made counts",
  "the names of actors stay the same few": "counts calls",
  "the tools that act are those that may not be repeated, of each place that brings tools":
    "is about tools that say nothing of a restart",
  "a snapshot taken while a tool runs asks about the call with an unknown outcome, and repeats no finished one (I5)":
    "is about a tool that says nothing of a restart",
  "extendBudget() refuses invalid input, and the turn keeps waiting:": "counts requests",
  "steer() and observe() refuse a value that is not one message, and the turn goes on:":
    "counts the runs of a pre-hook",
  "a failed request is not repeated when the budget": "counts requests",
  "the summary is a model call too": "counts requests",
  "a failed tool call is not tried again when": "counts calls: one that may have been made counts",
  "a retry of a tool call leaves the budget that the later calls of the batch need":
    "counts calls: one that may have been made counts",
  "a failed call that waits for its retry when interrupted is reported as having run":
    "counts attempts: one that may have been made counts",
  "calls that time out together are retried only as far as the budget allows":
    "counts calls: one that may have been made counts",
  "py8 a hook that changes one field leaves all other fields unchanged for the next hooks":
    "counts the runs of a pre-hook",
  "S11 chunk hooks, subscribers and streams all receive every event, and one that fails does not affect another":
    "hears every chunk of every request",
  "F13 chunk hooks are called in order": "hears every chunk of every request",
  "S16 usage survives JSON": "sums up the usage of every request",
  "a stored message cannot be changed by the model, whose own objects are not frozen":
    "sums up the usage of every request",
  "usage on the message of a structured output is on no other message": "sums up the usage of every request",
  "preReasoning hooks see the tool for structured output among the tools": "counts the runs of a pre-hook",
  "the number of a turn is the same in all its events and hooks, from turn.start on":
    "counts the runs of a pre-hook",
  "a turn interrupted during preCall has counters of its own": "counts requests",
  "the counters of a turn include every attempt of a fallback model": "counts requests",
  "a model is still reminded of the structured output after the budget for it is extended": "counts requests",
  "ends the turn with the error if a second attempt is refused too": "counts requests",
  "that throws in a turn fails the turn; the next one compacts again": "counts the runs of a pre-hook",
  "runs again, for a summary that is asked for again, after a restore in its midst":
    "counts the summaries that are asked for",
  "is told what went before, with the question that it answers, and the transcript stays whole":
    "counts the summaries that are asked for",
  "sees everything as text if no summary is shorter, or it fails": "counts the summaries that are asked for",
  "S7 a response without an id": "an answer that is asked for again has an id of its own",
};

const REPLY =
  "the turn has ended and rests after a restore, its hooks do not run again, and the caller's reply is lost with the process; a store gives it again by its idempotency key (test/session/input-keys.test.ts)";
const GRACE = "what would still come within the grace period is lost with the process";
const COMPACTION = "the compaction is lost with the process, and nothing has changed";

/** Where no agent is killed, and why the outcome is another there. */
export const NEVER_KILLED_IN: { readonly [state: string]: string } = {
  "doCall.onError": REPLY,
  "suspended.postCall": REPLY,
  "stopped.postCall": REPLY,
  "stopped.onInterrupt": REPLY,
  "stopped.onError": REPLY,
  "reasoning.calling.aborting": GRACE,
  "reasoning.compacting.calling.aborting": GRACE,
  "stopped.compacting.preHooks": COMPACTION,
  "stopped.compacting.postHooks": COMPACTION,
  "stopped.compacting.calling": COMPACTION,
  "stopped.compacting.calling.aborting": COMPACTION,
  "stopped.compacting.backingOff": COMPACTION,
  "reasoning.postHooks.aborting": GRACE,
  "acting.executing.aborting": GRACE,
  "acting.postHooks.aborting": GRACE,
  "summarizing.calling.aborting": GRACE,
  "summarizing.postHooks.aborting": GRACE,
  "acting.executing.committing":
    "needs a store: agents with a store are not killed here, but in test/session",
};

/** A hook before all others, so that the states of the pre-hooks are always entered. */
const FIRST: AnyHook = {
  name: "first",
  priority: Number.NEGATIVE_INFINITY,
  preCall: () => {},
  preReasoning: () => {},
  postReasoning: () => {},
  preSummary: () => {},
  postSummary: () => {},
  preCompact: () => {},
  postCompact: () => {},
  preActing: () => {},
  postActing: () => {},
};

/** A tool that says nothing of it may run again if the process ends while it runs. */
export const defineTool = ((spec: Parameters<typeof defineBare>[0]) =>
  defineBare(
    isListed(NOT_KILLED_IN_MIDST) || !spec ? spec : { onRestart: "retry", ...spec },
  )) as typeof defineBare;

/** What `agentchart` means in the resume mode: every agent is killed and restored between its steps. One whose session is
 *  in a store is left alone: see test/session. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  if (!isSound(config) || config.store || isListed(NOT_KILLED)) return createBare(config);
  const killedIn = isListed(NOT_KILLED_IN_MIDST) ? KILLED_IN : [...KILLED_IN, ...KILLED_IN_MIDST];
  const { hooks = [], ...own } = config as unknown as AnyAgentConfig;
  return facadeOf(new Resumed({ ...own, hooks: [FIRST, ...hooks] }, killedIn)) as unknown as Agent<Ctx>;
}

/** Everything but what is taken over by `resumed` goes to the agent that lives now. */
function facadeOf(resumed: Resumed): AnyAgent {
  const own = {
    call: resumed.call.bind(resumed),
    stream: resumed.stream.bind(resumed),
    subscribe: resumed.subscribe.bind(resumed),
    addHook: resumed.addHook.bind(resumed),
    removeHook: resumed.removeHook.bind(resumed),
    close: () => resumed.last().close(),
    shutdown: (options?: { readonly deadlineMs?: number }) => resumed.last().shutdown(options),
  };
  return new Proxy(own as unknown as AnyAgent, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(resumed.inner, key, resumed.inner);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        resumed.tell((agent) => (Reflect.get(agent, key, agent) as Function).apply(agent, args));
    },
  });
}
