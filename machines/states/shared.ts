import type { HookPoint } from "../../src/hook/types.ts";
import type { AgentContext, Progress } from "../../src/turn/context.ts";
import type { ModelInput } from "../../src/turn/services.ts";

export const listens = (point: HookPoint) => ({ type: "listens", params: { point } }) as const;
export const resumesIn = (place: NonNullable<Progress["resumeAt"]>) =>
  ({ type: "resumesIn", params: { place } }) as const;
export const parkIn = (place: NonNullable<Progress["resumeAt"]>) =>
  ({ type: "park", params: { place } }) as const;
export const outcome = <Output>({ event }: { event: { output: Output } }) => ({ outcome: event.output });
export const error = ({ event }: { event: { error: unknown } }) => ({ error: event.error });
export const position = ({ progress, transcript }: AgentContext) => ({
  turn: progress.turn,
  iteration: progress.iteration,
  transcript,
});
export const graceFrom = ({ at, settings }: AgentContext) => at + settings.interruptGraceMs;
export const asked = ({ request, wanted }: AgentContext) => ({
  system: request.system,
  usesFallback: request.usesFallback,
  wanted,
});
export const request = (context: AgentContext, phase: ModelInput["phase"]): ModelInput => ({
  ...position(context),
  phase,
  attempt: context.request.attempt,
  emptyRetries: context.progress.emptyRetries,
  ...asked(context),
  edit: context.request.edit,
});
