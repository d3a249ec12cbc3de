import type { AnyActorRef, PromiseActorLogic } from "xstate";

/** What a service is given. */
export type ServiceScope<Input> = {
  readonly input: Input;
  /** The machine that invoked or spawned the service. */
  readonly agent: AnyActorRef | undefined;
  /** Says what is to be done if the service is stopped before it has ended. */
  onStop(stop: () => void): void;
};

/** XState's `fromPromise` without an AbortController for each run. The chart stops two sleeps in every iteration, and each
 *  abort would build an exception with its stack. A service that wants a signal aborts one of its own in `onStop`. */
export function fromService<Output, Input>(
  serve: (scope: ServiceScope<Input>) => Promise<Output>,
): PromiseActorLogic<Output, Input> {
  const stops = new WeakMap<object, () => void>();
  return {
    config: serve,
    getInitialSnapshot: (_scope, input) => ({
      status: "active",
      output: undefined,
      error: undefined,
      input,
    }),
    start({ status, input }, { self }) {
      if (status !== "active") return;
      const tell = (type: string) => (data: unknown) => {
        stops.delete(self);
        if (self.getSnapshot().status === "active") self.send({ type, data });
      };
      const onStop = (stop: () => void): void => void stops.set(self, stop);
      serve({ input: input as Input, agent: self._parent, onStop }).then(
        tell("xstate.promise.resolve"),
        tell("xstate.promise.reject"),
      );
    },
    transition(snapshot, event, { self }) {
      if (snapshot.status !== "active") return snapshot;
      switch (event.type) {
        case "xstate.promise.resolve":
          return { ...snapshot, status: "done", output: event["data"] as Output, input: undefined };
        case "xstate.promise.reject":
          return { ...snapshot, status: "error", error: event["data"], input: undefined };
        case "xstate.stop":
          stops.get(self)?.();
          stops.delete(self);
          return { ...snapshot, status: "stopped", input: undefined };
        default:
          return snapshot;
      }
    },
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (snapshot) => snapshot as ReturnType<PromiseActorLogic<Output, Input>["transition"]>,
  };
}
