import {
  createAgent as createBare,
  defineHook,
  type Agent,
  type AgentConfig,
  type Hook,
} from "../../src/index.ts";
import { isSound } from "./listed.ts";

export * from "../../src/index.ts";

/** How often each point of the no-op hook ran in this process. */
export const noopRuns = new Map<keyof Hook, number>();

const count = (point: keyof Hook) => (): void => void noopRuns.set(point, (noopRuns.get(point) ?? 0) + 1);

/** A hook that listens everywhere and changes nothing: at the points the chart waits for it even takes its time. */
export function noopHook(priority: number): Hook {
  const waits = (point: keyof Hook) => async (): Promise<void> => {
    count(point)();
    await Promise.resolve();
  };
  return defineHook({
    name: `no-op ${priority}`,
    priority,
    preCall: waits("preCall"),
    preReasoning: waits("preReasoning"),
    postReasoning: waits("postReasoning"),
    preActing: waits("preActing"),
    postActing: waits("postActing"),
    preSummary: waits("preSummary"),
    postSummary: waits("postSummary"),
    preCompact: waits("preCompact"),
    postCompact: waits("postCompact"),
    postCall: waits("postCall"),
    reasoningChunk: count("reasoningChunk"),
    summaryChunk: count("summaryChunk"),
    actingChunk: count("actingChunk"),
    onInterrupt: waits("onInterrupt"),
    onError: waits("onError"),
    onRest: waits("onRest"),
  });
}

/** What `agentchart` means in the no-op mode: every agent also has a hook at every point, before and after all others. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  if (!isSound(config)) return createBare(config);
  const hooks = [noopHook(-1) as Hook<Ctx>, ...(config.hooks ?? []), noopHook(10_000) as Hook<Ctx>];
  return createBare({ ...config, hooks });
}
