import type { AgentContext } from "../../../machines/agent/context.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import type { Reason } from "../../../src/core/message/types.ts";
import type { ModelInput } from "../../../machines/agent/services.ts";
import { isAtRest, leafOf } from "../../../src/testing/explorer/pure.ts";
import { comesToRest, isRestored, startedOf } from "../../../src/testing/explorer/transition.ts";
import { changesOf, openIds, type Check } from "./memory.ts";

/** Every event is handled or queued; one that is not is refused with a trace. */
export const eventsCount: Check = (transition) => {
  const { before, move, after } = transition;
  const { snapshot } = after;
  if (snapshot.status !== "active") return `the chart is in status ${snapshot.status}`;
  if (isRestored(transition)) return undefined;
  if (move.kind === "late") return "a late outcome is not traced";
  const isMoved = leafOf(snapshot.value) !== leafOf(before.snapshot.value);
  const isNoticed = move.events[0]?.type === "timer.due"; // what it was armed for may have to wait for something else
  const isChanged = isMoved || isNoticed || changesOf(before.snapshot.context, snapshot.context).length > 0;
  return isChanged ? undefined : "the event vanishes";
};

/** A refused event changes nothing but its trace, and what a service that runs says is never refused. */
export const refusalChangesNothing: Check = ({ before, move, after }) => {
  if (move.kind === "service") return "the outcome of a running service is refused";
  const isMoved = after.started.length > 0 || leafOf(after.snapshot.value) !== leafOf(before.snapshot.value);
  if (isMoved) return "a refused event has changed the state";
  const changes = changesOf(before.snapshot.context, after.snapshot.context);
  return changes.length > 0 ? `a refused event has changed ${changes.join(", ")}` : undefined;
};

/** A call is settled exactly once, where it comes to rest; `stopped` has nothing open, `suspended` has. */
export const turnSettles: Check = (transition) => {
  if (isRestored(transition)) return undefined;
  const { before, after } = transition;
  const { context, value } = after.snapshot;
  const { resumeAt, exceeded } = context.progress;
  const leaf = leafOf(value);
  const settled = context.progress.settled - before.snapshot.context.progress.settled;
  if (settled > 1 || (settled !== 1 && comesToRest(transition))) return `settled ${settled} times`;
  if (settled === 1 && !isAtRest(leaf)) return `settled in ${leaf}`;
  if ((resumeAt !== null) !== (leaf === "stopped.unfinished") && !leaf.startsWith("doCall"))
    return `${leaf} is unfinished`;
  const isOpen = openIds(context).size > 0 || exceeded !== null;
  if (leaf === "suspended.waiting" && !isOpen) return "suspended with nothing open";
  return leaf === "stopped.idle" && resumeAt === null && isOpen ? "stopped with something open" : undefined;
};

const some = (context: AgentContext, test: (record: CallRecord) => boolean): boolean =>
  context.calls.some(test);

/** What must hold where a turn rests in `suspended` for this reason. */
const SUSPENDED: { readonly [reason in Reason]?: (context: AgentContext) => boolean } = {
  TOOL_SUSPENDED: (context) => some(context, ({ status }) => status === "suspended"),
  APPROVAL_REQUIRED: (context) => some(context, ({ asks, decided }) => asks !== undefined && !decided),
  OUTCOME_UNKNOWN: (context) => some(context, ({ status }) => status === "unknown"),
  BUDGET_EXCEEDED: ({ progress }) => progress.exceeded !== null,
  BREAKPOINT: ({ progress }) => progress.exceeded === "breakpoint",
  REASONING_STOP_REQUESTED: (context) => openIds(context).size > 0,
  ACTING_STOP_REQUESTED: (context) => openIds(context).size > 0,
};

const STOPPED: ReadonlySet<Reason> = new Set([
  ...([
    "MODEL_STOP",
    "STRUCTURED_OUTPUT",
    "MAX_ITERATIONS",
    "BUDGET_EXCEEDED",
    "INTERRUPTED",
    "ERROR",
    "SHUTDOWN",
  ] as const),
  ...(["REASONING_STOP_REQUESTED", "ACTING_STOP_REQUESTED"] as const),
]);

/** A turn that comes to rest says why, and the reason fits. */
export const reasonFits: Check = (transition) => {
  if (isRestored(transition) || !comesToRest(transition)) return undefined;
  if (leafOf(transition.before.snapshot.value).startsWith("stopped.compacting")) return undefined; // it was not a turn
  const { context, value } = transition.after.snapshot;
  const { outcome, failure } = context;
  const isAsBefore = outcome === transition.before.snapshot.context.outcome; // the call was refused or queued
  if (!outcome && !(failure && isAsBefore)) return "it rests without an outcome";
  if (!outcome || isAsBefore) return undefined;
  const leaf = leafOf(value);
  if (outcome.error?.code === "run/invalid-event") return "it failed for an unknown reason";
  const fits = leaf.startsWith("stopped.")
    ? STOPPED.has(outcome.reason)
    : SUSPENDED[outcome.reason]?.(context);
  return fits ? undefined : `${leaf} rests because of ${outcome.reason}`;
};

/** Messages that wait are delivered before the model is called, and where nothing is open. */
export const waitingIsDelivered: Check = ({ after }) => {
  const { context, value } = after.snapshot;
  const { steering, queued } = context.inbox;
  if (steering.length + queued.length === 0) return undefined;
  const isAsked = startedOf(after, "callModel").some(({ input }) => isFirstAttempt(input as ModelInput));
  if (isAsked && !context.listening.includes("preReasoning"))
    return "the model is called without messages that wait";
  const isFree = leafOf(value) === "stopped.idle" && openIds(context).size === 0;
  return isFree && context.progress.resumeAt === null ? "messages wait for nothing" : undefined;
};

const isFirstAttempt = ({ phase, attempt, emptyRetries, usesFallback }: ModelInput): boolean =>
  phase === "reasoning" && attempt === 1 && emptyRetries === 0 && !usesFallback;

/** The chart's clock is that of the events it hears (M4 of the chart). */
export const clockRuns: Check = ({ move, after }) => {
  const [event] = move.events;
  const onlyObserves = move.group.startsWith("runHooks on");
  if (!event || move.kind === "load" || onlyObserves) return undefined;
  const said =
    "output" in event ? (event.output as { readonly at: number }).at : "at" in event ? event.at : 0;
  return after.snapshot.context.at < said
    ? `${event.type} came at ${said}, the clock says ${after.snapshot.context.at}`
    : undefined;
};

/** After a hook's stop or an interrupt nothing new begins before the session rests. */
export const stopIsHonoured: Check = ({ before, move, after }) => {
  const begins = [...startedOf(after, "callModel"), ...startedOf(after, "runTool")][0];
  if (!begins) return undefined;
  if (before.memory.stops || move.meaning?.stops) return `a hook asked to stop, and ${begins.id} starts`;
  return before.memory.interrupted ? `the turn was interrupted, and ${begins.id} starts` : undefined;
};
