import { fromPromise } from "xstate";
import { agentMachine } from "../../machines/agent.machine.ts";
import { errorInfo } from "../error/error.ts";
import { runHooks } from "../hook/run.ts";
import type {
  CommitInput,
  CommitOutcome,
  HooksInput,
  HooksOutcome,
  ModelInput,
  ModelOutcome,
  ReviewInput,
  ReviewOutcome,
  SleepInput,
  SleepOutcome,
  ToolInput,
  ToolRunOutcome,
} from "../turn/services.ts";
import { callModel } from "./call-model.ts";
import { hostOf, type Host } from "./host.ts";
import { promptOf } from "./request.ts";
import { reviewCalls } from "./review-calls.ts";
import { runCall } from "./run-call.ts";

/** The longest delay a Node timer takes, ms. */
const LONGEST_DELAY = 2 ** 31 - 1;

async function linked<Output>(
  host: Host,
  stopped: AbortSignal,
  serve: (host: Host, controller: AbortController) => Promise<Output>,
): Promise<Output> {
  const { controller, release } = host.link(stopped);
  try {
    return await serve(host, controller);
  } finally {
    release();
  }
}

const model = fromPromise<ModelOutcome, ModelInput>(async ({ input, system, signal }) => {
  await Promise.resolve(); // subscribers of the transition hear of it before its service begins
  return linked(hostOf(system), signal, (host, controller) => callModel(host, input, controller));
});

const tool = fromPromise<ToolRunOutcome, ToolInput>(async ({ input, system, signal }) => {
  await Promise.resolve();
  return linked(hostOf(system), signal, (host, controller) => runCall(host, input, controller.signal));
});

const review = fromPromise<ReviewOutcome, ReviewInput>(async ({ input, system }) => {
  const host = hostOf(system);
  const verdicts = await reviewCalls(host, input);
  return { at: host.now(), verdicts };
});

const hooks = fromPromise<HooksOutcome, HooksInput>(async ({ input, system, signal }) => {
  await Promise.resolve();
  const host = hostOf(system);
  const phase = input.point === "preSummary" ? "summary" : "reasoning";
  const text = "system" in input ? input.system : "";
  try {
    const found = await runHooks(
      {
        hooks: host.hooks(),
        at: host.at(input, signal),
        prompt: () =>
          promptOf(host, { phase, transcript: input.transcript, system: text, usesFallback: false }),
        failed: (hook, error) =>
          host.publish({ type: "hook.failed", hook, error: errorInfo(error, "hook/failed") }),
      },
      input,
    );
    return { ...found, at: host.now() };
  } catch (error) {
    throw { ...errorInfo(error, "hook/failed"), at: host.now() };
  }
});

const sleep = fromPromise<SleepOutcome, SleepInput>(
  ({ input, system, signal }) =>
    new Promise((resolve) => {
      const { until } = input;
      if (until === null) return;
      const host = hostOf(system);
      const wait = (): NodeJS.Timeout | undefined => {
        const left = until - host.now();
        if (left > 0) return setTimeout(() => (timer = wait()), Math.min(left, LONGEST_DELAY));
        resolve({ at: host.now() });
        return undefined;
      };
      let timer = wait();
      signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    }),
);

const commit = fromPromise<CommitOutcome, CommitInput>(async ({ system }) => ({ at: hostOf(system).now() }));

/** The chart with its slots filled; what belongs to one session is found through the actor system it runs in. */
export const liveMachine = agentMachine.provide({
  actors: {
    callModel: model,
    runTool: tool,
    reviewCalls: review,
    runHooks: hooks,
    sleepUntil: sleep,
    commit,
  },
  actions: { abortServices: ({ system }) => hostOf(system).abort() },
});
