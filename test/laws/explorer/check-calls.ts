import { toolActorOf } from "../../../machines/agent/updates/calls.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { ModelInput, ReviewInput, ToolInput } from "../../../machines/agent/services.ts";
import { isAtRest, leafOf, servicesOf } from "../../../src/testing/explorer/pure.ts";
import { startedOf } from "../../../src/testing/explorer/transition.ts";
import type { Check } from "./memory.ts";

/** A call runs only if its tool may run whatever the arguments are, or a review has allowed it, with the arguments that were
 *  reviewed; a decision is used once. */
export const permissionHolds: Check = ({ before, move, after, memory }) => {
  const { calls } = after.snapshot.context;
  const ignored = calls.find(
    ({ call, stored, status }) => move.meaning?.denies?.includes(call.id) && !stored && status !== "denied",
  );
  if (ignored) return `a hook denied call ${ignored.call.id}, and it is ${ignored.status}`;
  for (const { call, status } of calls) {
    const isAllowed = (status !== "approved" && status !== "running") || memory.granted.has(call.id);
    if (!isAllowed) return `call ${call.id} is ${status} without a permission`;
  }
  for (const { id, input } of startedOf(after, "runTool")) {
    const record = calls.find(({ call }) => id === toolActorOf({ calls }, call.id));
    if (record?.status !== "running")
      return `${id} is started while its call is ${record?.status ?? "unknown"}`;
    if ((input as ToolInput).call !== record.call)
      return `${id} runs with other arguments than were reviewed`;
    if (record.asks !== undefined || record.decided !== undefined) return `${id} runs while its call asks`;
  }
  for (const { input } of startedOf(after, "reviewCalls")) {
    for (const { call, asks, decided } of (input as ReviewInput).calls) {
      if (asks !== undefined && !decided) return `call ${call.id} is reviewed before it is decided`;
      if (decided && !before.memory.decided.has(call.id))
        return `the decision about ${call.id} is used twice`;
    }
  }
  return undefined;
};

const limitOf = ({ settings, progress }: AgentContext, name: "modelCalls" | "toolCalls"): number =>
  (settings.budget[name] ?? Number.POSITIVE_INFINITY) + (progress.extended[name] ?? 0);

/** Iterations, gotos, empty answers, attempts and budgets have limits. A crash or a new call may start an open attempt
 *  anew. */
export const limitsHold: Check = ({ world, after, memory }) => {
  const { context } = after.snapshot;
  const { settings, tool } = world;
  const { gotos, emptyRetries, stats } = context.progress;
  const { restarts } = memory;
  if (gotos > settings.maxGotos) return `${gotos} gotos`;
  if (emptyRetries > settings.maxEmptyRetries) return `${emptyRetries} retries of an empty answer`;
  for (const { input } of startedOf(after, "callModel")) {
    if (context.request.timedOut) return "the model is called with its time used up";
    const { attempt, phase, iteration, usesFallback, emptyRetries: retries } = input as ModelInput;
    if (attempt > (settings.model.maxAttempts ?? 1) + restarts) return `attempt ${attempt} of the model`;
    if (phase !== "reasoning") continue;
    if (iteration >= settings.maxIters + gotos) return `iteration ${iteration + 1}`;
    const isFirst = attempt === 1 && !usesFallback && retries === 0;
    if (isFirst && stats.modelCalls > limitOf(context, "modelCalls")) return `model call ${stats.modelCalls}`;
  }
  const isStarted = startedOf(after, "runTool").length > 0;
  if (isStarted && stats.toolCalls > limitOf(context, "toolCalls") + restarts)
    return `tool call ${stats.toolCalls}`;
  const excess = context.calls.find(
    ({ attempt, resume }) => attempt - (resume?.attempts ?? 0) > (tool.execution.maxAttempts ?? 1) + restarts,
  );
  return excess && `attempt ${excess.attempt} of ${excess.call.id}`;
};

/** What rests owns no service; what does not rest waits for one or for the timer; tools run only in `executing`, one for each
 *  record that says so. */
export const servicesFit: Check = ({ after }) => {
  const { snapshot, timer } = after;
  const leaf = leafOf(snapshot.value);
  const services = servicesOf(snapshot);
  const names = services.map(({ id }) => id).join(", ");
  if (isAtRest(leaf)) {
    if (timer !== null) return `${leaf} has a timer`;
    return services.length > 0 ? `${leaf} owns ${names}` : undefined;
  }
  if (services.length === 0 && timer === null) return `${leaf} waits for nothing`;
  if (leaf.endsWith(".aborting") && timer === null) return `${leaf} has no end to its grace period`;
  const tools = services.filter(({ src }) => src === "runTool").map(({ id }) => id);
  if (!leaf.startsWith("acting.executing")) return tools.length > 0 ? `${leaf} owns ${names}` : undefined;
  const isCommitting = leaf === "acting.executing.committing";
  const running = snapshot.context.calls.flatMap(({ status, attempt, spawned, call }) =>
    status === "running" && (attempt === spawned || !isCommitting)
      ? [toolActorOf(snapshot.context, call.id)]
      : [],
  );
  const isSame = running.toSorted().join() === tools.toSorted().join();
  return isSame ? undefined : `records run [${running.join()}], services [${tools.join()}]`;
};
