import { toolResultsOf } from "../../src/message/query.ts";
import { toolActorOf } from "../../src/turn/calls.ts";
import type { AgentContext, CallRecord } from "../../src/turn/context.ts";
import type { ModelInput, ReviewInput, SleepInput, ToolInput } from "../../src/turn/services.ts";
import { OUTPUT_TOOL } from "../../src/turn/output.ts";
import { inputOf, isRefused, keptIds, type Memory } from "./memory.ts";
import type { Move } from "./move.ts";
import { protocolProblem } from "./protocol.ts";
import { isAtRest, leafOf, servicesOf, type AgentSnapshot, type Service, type Step } from "./pure.ts";
import type { World } from "./worlds.ts";

/** A broken invariant: `rule` is its number in design.md §1, or a word. */
export type Problem = { readonly rule: string; readonly message: string };

export type Transition = {
  readonly world: World;
  readonly before: { readonly snapshot: AgentSnapshot; readonly memory: Memory };
  readonly move: Move;
  readonly after: Step;
  readonly memory: Memory;
};

type Check = (transition: Transition) => string | undefined;

const openIds = ({ calls }: AgentContext): Set<string> =>
  new Set(calls.filter(({ stored }) => !stored).map(({ call }) => call.id));

const started = (after: Step, src: string): readonly Service[] =>
  after.started.filter((service) => service.src === src);

const storedResults = ({ transcript }: AgentContext) => transcript.slice().flatMap(toolResultsOf);

/** The history is provider-valid whenever the model is called and at rest; only recorded calls may be open. */
const history: Check = ({ world, after }) => {
  const { context, value } = after.snapshot;
  for (const { input } of started(after, "callModel")) {
    const problem = protocolProblem((input as ModelInput).transcript);
    if (problem) return `the model is called with ${problem}`;
  }
  const leaf = leafOf(value);
  const isOpen = leaf !== "stopped.idle" || context.progress.resumeAt !== null;
  if (world.history.length > 0 && context.progress.turn === 0) return undefined; // closed when the first call is accepted
  const problem = protocolProblem(context.transcript, isOpen ? openIds(context) : new Set());
  return problem && isAtRest(leaf) ? `${leaf} rests with ${problem}` : problem;
};

/** Every event is handled, queued, or refused with a trace; what a service that runs says is never refused. */
const total: Check = ({ before, move, after }) => {
  const { snapshot } = after;
  if (snapshot.status !== "active") return `the chart is in status ${snapshot.status}`;
  if (move.kind === "crash" || move.kind === "load") return undefined;
  if (move.kind === "late") return "a late outcome is not traced";
  const isMoved = leafOf(snapshot.value) !== leafOf(before.snapshot.value);
  return isMoved || changesOf(before.snapshot.context, snapshot.context).length > 0
    ? undefined
    : "the event vanishes";
};

/** What of the context another event has changed, the clock aside. */
function changesOf(before: AgentContext, after: AgentContext): readonly string[] {
  const names = Object.keys(after) as (keyof AgentContext)[];
  return names.filter((name) => name !== "at" && name !== "refused" && before[name] !== after[name]);
}

/** A refused event changes nothing but its trace. */
function refusalProblem({ before, move, after }: Transition): string | undefined {
  if (move.kind === "service") return "the outcome of a running service is refused";
  const isMoved = after.started.length > 0 || leafOf(after.snapshot.value) !== leafOf(before.snapshot.value);
  const changes = changesOf(before.snapshot.context, after.snapshot.context);
  if (isMoved) return "a refused event has changed the state";
  return changes.length > 0 ? `a refused event has changed ${changes.join(", ")}` : undefined;
}

/** A message that was taken is stored or waits; the input of a call is kept whole or refused whole. */
const nothingLost: Check = ({ before, move, after }) => {
  const { context, value } = after.snapshot;
  if (move.kind === "load") return undefined;
  const known = keptIds(context);
  const lost = before.memory.heard.filter((id) => !known.has(id));
  if (lost.length > 0) return `message ${lost.join(", ")} is lost`;
  const input = inputOf(before.memory, move);
  const missing = input.filter((id) => !known.has(id));
  if (missing.length === 0) return undefined;
  const leaf = leafOf(value);
  const isRefusal = context.failure !== null && (isAtRest(leaf) || leaf === "doCall.onError");
  if (!isRefusal) return `the input ${missing.join(", ")} is lost`;
  return missing.length < input.length
    ? `the input is refused, but not ${input.length - missing.length} of it`
    : undefined;
};

/** The transcript only grows; only a structured answer takes the place of the calls that gave it. */
const appendOnly: Check = ({ before, move, after }) => {
  const { outcome } = after.snapshot.context;
  if (move.kind === "load" || (outcome?.output !== undefined && outcome !== before.snapshot.context.outcome))
    return undefined;
  const now = after.snapshot.context.transcript.slice().map(({ id }) => id);
  const was = before.snapshot.context.transcript.slice().map(({ id }) => id);
  let index = 0;
  for (const id of now) if (id === was[index]) index++;
  return index === was.length ? undefined : `message ${was[index]} has gone or moved`;
};

/** A recorded result is stored as it is, unless a hook replaced it, and its call never runs again. */
const resultsKept: Check = ({ before, move, after }) => {
  if (move.kind === "load") return undefined;
  const { context } = after.snapshot;
  const now = new Map(storedResults(context).map((result) => [result.id, result]));
  for (const { call, result } of context.calls) if (result) now.set(call.id, result);
  const given = move.meaning?.result;
  const record = given && before.snapshot.context.calls.find(({ call }) => call.id === given.id);
  const isFinal =
    record &&
    record.call.name !== OUTPUT_TOOL &&
    context.calls.every(
      ({ call, status }) => call.id !== given.id || status !== "approved" || record.attempt > 1,
    );
  const recorded = before.snapshot.context.calls.flatMap((each) =>
    each.result && each.call.name !== OUTPUT_TOOL ? [each.result] : [],
  );
  for (const result of [...recorded, ...(isFinal ? [given] : [])]) {
    if (move.meaning?.replaces === result.id) continue;
    const kept = now.get(result.id);
    if (JSON.stringify(kept?.output) !== JSON.stringify(result.output))
      return `the result of ${result.id} is ${kept ? "replaced" : "lost"}`;
  }
  const done = new Set([...storedResults(before.snapshot.context), ...recorded].map(({ id }) => id));
  const again = started(after, "runTool").find(({ input }) => done.has((input as ToolInput).call.id));
  return again && `${again.id} has a result and runs again`;
};

/** A call runs only if a review has allowed it, and a decision is used once. */
const permission: Check = ({ before, after, memory }) => {
  const { calls } = after.snapshot.context;
  const bypassed = calls.find(
    ({ status, call }) => (status === "approved" || status === "running") && !memory.granted.has(call.id),
  );
  if (bypassed) return `call ${bypassed.call.id} is ${bypassed.status} without a permission`;
  for (const { id, input } of started(after, "runTool")) {
    const record = calls.find(({ call }) => id === toolActorOf({ calls }, call.id));
    if (record?.status !== "running")
      return `${id} is started while its call is ${record?.status ?? "unknown"}`;
    if ((input as ToolInput).call !== record.call)
      return `${id} runs with other arguments than were reviewed`;
    if (record.asks !== undefined || record.decided !== undefined) return `${id} runs while its call asks`;
  }
  for (const { input } of started(after, "reviewCalls")) {
    const asking = (input as ReviewInput).calls.find(
      (record) => record.asks !== undefined && !record.decided,
    );
    if (asking) return `call ${asking.call.id} is reviewed before it is decided`;
    const used = (input as ReviewInput).calls.find(
      (record: CallRecord) => record.decided && !before.memory.decided.has(record.call.id),
    );
    if (used) return `the decision about ${used.call.id} is used twice`;
  }
  return undefined;
};

function limitsOf({ settings, progress }: AgentContext): {
  readonly modelCalls: number;
  readonly toolCalls: number;
} {
  const limit = (name: "modelCalls" | "toolCalls"): number =>
    (settings.budget[name] ?? Number.POSITIVE_INFINITY) + (progress.extended[name] ?? 0);
  return { modelCalls: limit("modelCalls"), toolCalls: limit("toolCalls") };
}

/** A repetition is not checked against the budget: it belongs to the request that was. */
const isFirst = ({ phase, attempt, usesFallback, emptyRetries }: ModelInput): boolean =>
  phase === "reasoning" && attempt === 1 && !usesFallback && emptyRetries === 0;

/** Iterations, gotos, retries and attempts have limits. */
const bounded: Check = ({ world, after, memory }) => {
  const { context } = after.snapshot;
  const { settings } = world;
  if (context.progress.gotos > settings.maxGotos) return `${context.progress.gotos} gotos`;
  if (context.progress.emptyRetries > settings.maxEmptyRetries)
    return `${context.progress.emptyRetries} retries of an empty answer`;
  for (const { input } of started(after, "callModel")) {
    const { attempt, phase, iteration } = input as ModelInput;
    if (attempt > (settings.model.maxAttempts ?? 1) + memory.restarts)
      return `attempt ${attempt} of the model`;
    if (phase === "reasoning" && iteration >= settings.maxIters + context.progress.gotos)
      return `iteration ${iteration + 1}`;
  }
  const { modelCalls, toolCalls } = limitsOf(context);
  const { stats } = context.progress;
  const isFresh = started(after, "callModel").some(({ input }) => isFirst(input as ModelInput));
  if (isFresh && stats.modelCalls > modelCalls) return `model call ${stats.modelCalls} of ${modelCalls}`;
  const first = started(after, "runTool").filter(({ input }) => (input as ToolInput).attempt === 1);
  if (first.length > 0 && stats.toolCalls > toolCalls + memory.restarts)
    return `tool call ${stats.toolCalls} of ${toolCalls}`;
  const most = (world.tool.execution.maxAttempts ?? 1) + memory.restarts;
  const excess = context.calls.find(({ attempt }) => attempt > most);
  return excess && `attempt ${excess.attempt} of ${excess.call.id}`;
};

/** What rests owns no service; what does not rest waits for one that will end; tools run only in `executing`. */
const alive: Check = ({ after }) => {
  const { snapshot } = after;
  const leaf = leafOf(snapshot.value);
  const services = servicesOf(snapshot);
  if (isAtRest(leaf))
    return services.length > 0 ? `${leaf} owns ${services.map(({ id }) => id).join(", ")}` : undefined;
  const ending = services.filter(
    ({ src, input }) => src !== "sleepUntil" || (input as SleepInput).until !== null,
  );
  if (ending.length === 0) return `${leaf} waits for nothing`;
  const tools = services.filter(({ src }) => src === "runTool").map(({ id }) => id);
  if (!leaf.startsWith("acting.executing"))
    return tools.length > 0 ? `${leaf} owns ${tools.join(", ")}` : undefined;
  const running = snapshot.context.calls.flatMap(({ status, attempt, spawned, call }) =>
    status === "running" && attempt === spawned ? [toolActorOf(snapshot.context, call.id)] : [],
  );
  return running.toSorted().join() === tools.toSorted().join()
    ? undefined
    : `records run [${running.join()}], services [${tools.join()}]`;
};

/** A call is settled exactly once, where it comes to rest, with an outcome; a stop is honoured before anything else runs. */
const settles: Check = ({ before, move, after }) => {
  if (move.kind === "crash" || move.kind === "load") return undefined;
  const { context, value } = after.snapshot;
  const was = before.snapshot.context;
  const leaf = leafOf(value);
  const settled = context.progress.settled - was.progress.settled;
  const comesToRest = isAtRest(leaf) && !isAtRest(leafOf(before.snapshot.value));
  if (settled > 1 || (settled !== 1 && comesToRest)) return `settled ${settled} times`;
  if (settled === 1 && !isAtRest(leaf)) return `settled in ${leaf}`;
  if (comesToRest && !context.outcome && !context.failure) return `${leaf} without an outcome`;
  const { resumeAt } = context.progress;
  if (resumeAt !== null && leaf !== "stopped.idle" && !leaf.startsWith("doCall"))
    return `${leaf} is marked as unfinished ${resumeAt}`;
  const isOpen = openIds(context).size > 0 || context.progress.exceeded !== null;
  if (leaf === "suspended.waiting" && !isOpen) return "suspended without an open call";
  if (leaf === "stopped.idle" && resumeAt === null && isOpen)
    return "stopped with an open call or an exceeded budget";
  const goesOn = [...started(after, "callModel"), ...started(after, "runTool")];
  return (before.memory.stops || move.meaning?.stops) && goesOn.length > 0
    ? `a hook asked to stop, and ${goesOn[0]!.id} starts`
    : undefined;
};

/** True if the chart has traced the event as one that has no place in this state. */
export function isRefusal({ before, move, after }: Transition): boolean {
  return (
    move.kind !== "crash" &&
    move.kind !== "load" &&
    isRefused(before.snapshot.context, after.snapshot.context)
  );
}

const CHECKS: readonly (readonly [string, Check])[] = [
  ["I2", history],
  ["I3", total],
  ["I4", nothingLost],
  ["I4", appendOnly],
  ["I5", resultsKept],
  ["I7", permission],
  ["I8", bounded],
  ["alive", alive],
  ["settles", settles],
];

/** The invariants that a transition breaks. */
export function problemsOf(transition: Transition): readonly Problem[] {
  if (isRefusal(transition)) {
    const message = refusalProblem(transition);
    return message === undefined ? [] : [{ rule: "I3", message }];
  }
  return CHECKS.flatMap(([rule, check]) => {
    const message = check(transition);
    return message === undefined ? [] : [{ rule, message }];
  });
}
