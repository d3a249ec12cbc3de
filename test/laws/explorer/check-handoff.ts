import type { ModelInput } from "../../../machines/agent/services.ts";
import { isRestored, startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check } from "./memory.ts";

/** A session changes hands only to the persona that a call has named, or to the agent itself when a turn begins; and not more often
 *  than a turn may. */
export const handedOverAsAsked: Check = (transition) => {
  const { settings } = transition.world;
  if (!settings.handoffs || isRestored(transition)) return undefined;
  const { progress: was } = transition.before.snapshot.context;
  const { progress: now } = transition.after.snapshot.context;
  if ((now.handoffs ?? 0) > settings.handoffs.max) return `the turn has ${now.handoffs} handoffs`;
  const [from, to] = [was.persona ?? null, now.persona ?? null];
  if (from === to) return undefined;
  if (to === null && now.turn > was.turn && settings.handoffs.reset === "turn") return undefined;
  const asked = [was.handoff, ...Object.values(settings.handoffs.tools)];
  return asked.includes(to)
    ? undefined
    : `${from ?? "the agent"} was replaced by ${to ?? "the agent"} unasked`;
};

/** A model call is that of the persona that has the session, with its prompt, and none begins before a handoff is done. */
export const personaIsAsked: Check = ({ world: { settings }, after }) => {
  const { handoffs } = settings;
  if (!handoffs) return undefined;
  const { persona = null, handoff } = after.snapshot.context.progress;
  const system = persona === null ? settings.system : handoffs.systems[persona];
  for (const { input } of startedOf(after, "callModel")) {
    const asked = input as ModelInput;
    if (typeof handoff === "string") return `a model is asked before the handoff to ${handoff}`;
    if (asked.persona !== persona) return `${asked.persona} is asked instead of ${persona}`;
    if (asked.system !== system) return `the prompt of ${persona} is ${JSON.stringify(asked.system)}`;
  }
  return undefined;
};
