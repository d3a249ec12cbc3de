import { AgentError } from "../../core/base/error.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import type { SessionStore } from "../../store/port.ts";
import { storeSchema } from "../../store/store-schema.ts";
import type { Suspicion, SuspicionCheck } from "../suspicions/suspicion.ts";
import { suspicionSchema } from "../suspicions/suspicion-schema.ts";
import { RunSuspicions } from "./run-suspicions.ts";
import { StoreRuns } from "./store-runs.ts";

/** Options of {@link findSuspicions}. */
export type FindSuspicionsOptions = {
  /** The checks of the session beside the built-in checks. One with the name of a built-in check replaces it. */
  readonly suspicions?: readonly SuspicionCheck[] | undefined;
};

/** The schema of {@link FindSuspicionsOptions}. */
export const findSuspicionsSchema = s.lazily(() =>
  s.options<FindSuspicionsOptions>({ suspicions: s.optional(s.listOf(suspicionSchema())) }),
);

/** See `findSuspicions` of `agentchart/inspect`. */
export async function findSuspicions(
  store: SessionStore,
  sessionId: string,
  options: FindSuspicionsOptions = {},
): Promise<readonly Suspicion[]> {
  check(storeSchema(), store, "findSuspicions: store");
  check(findSuspicionsSchema(), options, "findSuspicions");
  const log = await new StoreRuns(store).logOf(sessionId);
  if (!log) throw new AgentError("session/not-found", `There is no session '${sessionId}'.`);
  return new RunSuspicions(options.suspicions).of(log);
}
