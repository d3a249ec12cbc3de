import { AgentError } from "../base/error.ts";
import type { SessionStore } from "../store/port.ts";

/** Throws `config/invalid` for what is no store; `from` is what the message begins with. */
export function checkStore(store: SessionStore | undefined, from: string): asserts store is SessionStore {
  if (typeof store?.load !== "function")
    throw new AgentError(
      "config/invalid",
      `${from}: \`store\` must be a SessionStore, as fileStore({ dir }) gives.`,
    );
}
