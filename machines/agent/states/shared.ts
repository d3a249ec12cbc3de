// machines/agent/states has a file for each top-level state of the agent's chart, and the parts that states share.
import type { HookPoint } from "../../../src/hook/types.ts";
import type { AgentContext, Progress } from "../context.ts";
import type { ModelInput } from "../services.ts";

/** A guard: somebody has a hook at this point. */
export const listens = (point: HookPoint) => ({ type: "listens", params: { point } }) as const;
/** A guard: the session was written while it was there. */
export const resumesIn = (place: NonNullable<Progress["resumeAt"]>) =>
  ({ type: "resumesIn", params: { place } }) as const;
/** An action: the turn rests, to go on there. */
export const parkIn = (place: NonNullable<Progress["resumeAt"]>) =>
  ({ type: "park", params: { place } }) as const;
/** What a service came to, for the action that takes it. */
export const outcome = <Output>({ event }: { event: { output: Output } }) => ({ outcome: event.output });
/** What a service threw. */
export const error = ({ event }: { event: { error: unknown } }) => ({ error: event.error });
/** Where the session stands: what every service is told. */
export const position = ({ progress, transcript }: AgentContext) => ({
  turn: progress.turn,
  iteration: progress.iteration,
  transcript,
});
/** Until when hooks of an interrupt may run. */
export const graceFrom = ({ at, settings }: AgentContext) => at + settings.interruptGraceMs;
/** What of a request hooks may see. */
export const asked = ({ request, wanted }: AgentContext) => ({
  system: request.system,
  usesFallback: request.usesFallback,
  wanted,
});
/** What the model service is told. */
export const request = (context: AgentContext, phase: ModelInput["phase"]): ModelInput => ({
  ...position(context),
  phase,
  attempt: context.request.attempt,
  emptyRetries: context.progress.emptyRetries,
  ...asked(context),
  edit: context.request.edit,
});
