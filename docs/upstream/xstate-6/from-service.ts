// What src/agent/services/from-service.ts is, for XState 6.
import { createAsyncLogic, type AsyncActorLogic } from "xstate-6";
import type { ServiceScope } from "../../../src/agent/services/from-service.ts";

export { parentOf, type ServiceScope } from "../../../src/agent/services/from-service.ts";

export function fromService<Output, Input>(
  serve: (scope: ServiceScope<Input>) => Promise<Output>,
): AsyncActorLogic<Output, Input> {
  return createAsyncLogic<Output, Input>({
    run: ({ input, self, signal }) => {
      let stopped = (): void => {};
      signal.addEventListener("abort", () => stopped(), { once: true });
      return serve({ input, agent: self._parent, onStop: (stop) => (stopped = stop) } as ServiceScope<Input>);
    },
  });
}
