import { AgentError } from "../base/error.ts";
import type { SessionStore } from "../store/port.ts";

/** Throws `config/invalid` unless `store` is a session store. `from` begins the message. */
export function checkStore(store: SessionStore | undefined, from: string): asserts store is SessionStore {
  if (typeof store?.load !== "function")
    throw new AgentError(
      "config/invalid",
      `${from}: \`store\` must be a SessionStore, such as fileStore({ dir }).`,
    );
}
