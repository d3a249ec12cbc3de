import { AgentError, endingError } from "../core/base/error.ts";
import { endsWithin } from "../store/deadlines.ts";
import type { Runtime } from "./runtime.ts";
import type { Turns } from "./turns.ts";

/** The maximum time that a close waits for what hooks do while the session rests, ms. */
const REST_MS = 10_000;
/** The minimum time that a shutdown waits for the store, ms. */
const RELEASE_MS = 500;

/** Waits at most `ms` for what runs inside of calls. */
async function innerEnds(runtime: Runtime, ms: number): Promise<void> {
  const inner = runtime.innerEnded();
  if (inner) await endsWithin(inner, ms);
}

/** Ends an agent within `deadlineMs`: the turn that runs is parked, to be continued in any process, and the lease is released. */
export async function shutDown(runtime: Runtime, turns: Turns, deadlineMs: number): Promise<void> {
  const error = new AgentError(
    "run/shutdown",
    "The agent was shut down; call() continues the turn, in any process.",
  );
  runtime.drain(error);
  const until = performance.now() + deadlineMs;
  if (turns.isRunning) {
    runtime.send({ type: "run.shutdown", at: runtime.now() });
    await endsWithin(turns.idle(), deadlineMs);
  }
  if (runtime.rest?.isRunning) await endsWithin(runtime.rest.ended(), Math.max(until - performance.now(), 0));
  runtime.stop(error);
  const left = Math.max(until - performance.now(), RELEASE_MS);
  await innerEnds(runtime, left);
  if (!(await endsWithin(runtime.journal.release(), left))) runtime.journal.abandon();
}

/** Ends an agent: the turn that runs is interrupted and comes to its end, and the lease is released. */
export async function closeDown(runtime: Runtime, turns: Turns, interrupt: () => void): Promise<void> {
  const error = endingError("run/closed", `Agent '${runtime.settings.agent}' is closed.`);
  runtime.drain(error);
  if (runtime.phase === "running") interrupt();
  await turns.idle();
  if (runtime.rest?.isRunning) await endsWithin(runtime.rest.ended(), REST_MS);
  runtime.stop(error);
  await innerEnds(runtime, RELEASE_MS);
  await runtime.journal.release();
}

/** Resolves when nothing of a resting session runs in this process, and all of it is stored. */
export async function restsAndIsSaved(runtime: Runtime): Promise<void> {
  await runtime.rest?.ended();
  await runtime.saved();
}

/** Ends the runtime of a resting session that is stored, and gives its lease back. */
export async function leave(runtime: Runtime): Promise<void> {
  runtime.stop(
    new AgentError("run/shutdown", "The agent was passivated; its next call opens the session again."),
  );
  await innerEnds(runtime, RELEASE_MS);
  await runtime.journal.release();
}
