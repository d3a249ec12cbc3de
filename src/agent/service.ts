import type { AnyActorRef, PromiseActorLogic } from "xstate";

/** What a service gets: its input, and a place to say what ends it early. */
export type ServiceScope<Input> = {
  readonly input: Input;
  readonly system: AnyActorRef["system"];
  /** Registers what is to be done if the service is stopped before it has ended. */
  onStop(stop: () => void): void;
};

/** `fromPromise` without an AbortController for each run: a chart stops two sleeps per iteration, and an abort builds an
 *  exception with its stack. A service that needs a signal makes its own in `onStop`. */
export function fromService<Output, Input>(
  serve: (scope: ServiceScope<Input>) => PromiseLike<Output>,
): PromiseActorLogic<Output, Input> {
  const stops = new WeakMap<object, () => void>();
  return {
    config: serve,
    transition(state, event, { self }) {
      if (state.status !== "active") return state;
      switch (event.type) {
        case "xstate.promise.resolve":
          return { ...state, status: "done", output: event["data"] as Output, input: undefined };
        case "xstate.promise.reject":
          return { ...state, status: "error", error: event["data"], input: undefined };
        case "xstate.stop":
          stops.get(self)?.();
          return { ...state, status: "stopped", input: undefined };
        default:
          return state;
      }
    },
    start({ status, input }, { self, system }) {
      if (status !== "active") return;
      const tell = (type: string) => (data: unknown) => {
        if (self.getSnapshot().status === "active") self.send({ type, data });
      };
      serve({ input: input as Input, system, onStop: (stop) => stops.set(self, stop) }).then(
        tell("xstate.promise.resolve"),
        tell("xstate.promise.reject"),
      );
    },
    getInitialSnapshot: (_, input) => ({ status: "active", output: undefined, error: undefined, input }),
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (snapshot) => snapshot as never,
  };
}
