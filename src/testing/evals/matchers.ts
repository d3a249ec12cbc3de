import type { JsonObject } from "../../core/base/json.ts";
import type { SessionStore } from "../../store/port.ts";
import { path, used, type Occurrence } from "./judges.ts";
import { RunReader } from "./read-run.ts";
import type { EvalRun } from "./types.ts";

/** The stored part of a session for {@link matchers}. */
export type StoredRun = Pick<EvalRun, "sessionId" | "facts" | "steps">;

/** The matchers of {@link matchers}, to declare them to a test runner. `R` is what its matchers return. */
export type EvalMatchers<R = void> = {
  /** The chart entered this state, such as "suspended.waiting". */
  toVisit(state: string): R;
  /** A tool ran, with arguments that contain these fields. A call that was denied did not run. */
  toHaveUsed(tool: string, input?: JsonObject): R;
};

/**
 * Reads what a session did, from its store. Rejects `session/not-found` for a session without steps.
 *
 * @example
 * ```ts
 * import { runOf } from "agentchart/evals";
 * import { fileStore } from "agentchart/store/file";
 *
 * export const { steps } = await runOf(fileStore({ dir: "./sessions" }), "customer-42");
 * ```
 */
export async function runOf(store: SessionStore, sessionId: string): Promise<StoredRun> {
  const { facts, steps } = await new RunReader(store).read(sessionId, { suspicions: false });
  return { sessionId, facts, steps };
}

function isRun(value: unknown): value is StoredRun {
  return typeof value === "object" && value !== null && "facts" in value && "steps" in value;
}

function matched(received: unknown, occurrence: Occurrence): { pass: boolean; message: () => string } {
  if (!isRun(received)) throw new TypeError("Expected a run: expect(await runOf(store, sessionId)).");
  const { pass, reason } = occurrence.judge(received);
  return { pass, message: () => `Session ${JSON.stringify(received.sessionId)} ${reason}` };
}

/**
 * Matchers for `expect.extend` of Vitest and of Jest. They take what {@link runOf} returns. An unknown state is a `config/invalid`.
 *
 * @example
 * ```ts
 * import { matchers } from "agentchart/evals";
 *
 * export const extend = (expect: { extend(added: typeof matchers): void }) => expect.extend(matchers);
 * ```
 */
export const matchers = {
  toVisit: (received: unknown, state: string) => matched(received, path.visits(state)),
  toHaveUsed: (received: unknown, tool: string, input?: JsonObject) => matched(received, used(tool, input)),
};
