// What src/kit/team/agent-logic.ts is, for XState 6: actor logic has an initial transition, its transitions return effects, and the
// event that stops it has another name.
import type { AnyActorLogic } from "xstate-6";
import { agentLogic as ofFive } from "../../../src/kit/team/agent-logic.ts";

type Event = { readonly type: string };
type Logic = {
  getInitialSnapshot(scope: unknown, input: unknown): object;
  transition(snapshot: object, event: Event, scope: unknown): object;
};

const named = (event: Event): Event => (event.type === "@xstate.stop" ? { type: "xstate.stop" } : event);

export function agentLogic(...given: Parameters<typeof ofFive>): AnyActorLogic {
  const logic = ofFive(...given) as unknown as Logic;
  return {
    ...logic,
    initialTransition: (input: unknown, scope: unknown) => [logic.getInitialSnapshot(scope, input), []],
    transition: (snapshot: object, event: Event, scope: unknown) => [
      logic.transition(snapshot, named(event), scope),
      [],
    ],
  } as unknown as AnyActorLogic;
}
