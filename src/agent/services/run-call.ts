import { AgentError } from "../../core/base/error.ts";
import { ranWith } from "../../core/message/account.ts";
import type { ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";
import { EXECUTION_DEFAULTS, executionData, mergeExecution, mayRetry } from "../../core/model/execution.ts";
import type { Execution } from "../../core/model/port.ts";
import { chunkText, runTool, type ToolRun } from "../../core/tool/run.ts";
import { deniedResult, errorResult, silentTool } from "../../core/tool/results.ts";
import { slotReader } from "../../core/tool/slot.ts";
import type { FoundTool } from "../../core/tool/toolkit.ts";
import type { AnyTool, AnyToolContext } from "../../core/tool/types.ts";
import type { Json } from "../../core/base/json.ts";
import type { AgentEventBody } from "../../core/event/types.ts";
import type { CallTerms, Spent } from "../../../machines/agent/call-record.ts";
import type { ToolInput, ToolRunOutcome } from "../../../machines/agent/services.ts";
import type { RuleStates } from "../../core/tool/rules/law.ts";
import type { Host } from "./host.ts";
import { elapsed, LONGEST_DELAY_MS, restarted } from "../../core/base/time.ts";
import { observe } from "./call-hook.ts";
import { engineOf } from "../options/agent-rules.ts";

/** A timer that starts again with each sign of activity. */
type IdleTimer = {
  /** Starts the time again. */
  restart(): void;
  stop(): void;
};

/** Calls `onIdle` once `restart` was not called for `ms`, unless `ms` is Infinity or `signal` aborts before. */
export function startIdleTimer(ms: number | undefined, signal: AbortSignal, onIdle: () => void): IdleTimer {
  if (ms === undefined || ms > LONGEST_DELAY_MS || signal.aborted) return { restart() {}, stop() {} };
  const start = (): NodeJS.Timeout =>
    setTimeout(() => {
      stop();
      onIdle();
    }, ms);
  let timer = start();
  const stop = (): void => {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  };
  signal.addEventListener("abort", stop, { once: true });
  return { restart: () => void (timer = restarted(timer, start)), stop };
}

/** Field by field: the tool's own, the agent's, the defaults. */
export function toolExecution({ config }: Pick<Host, "config">, tool: AnyTool): Execution {
  return mergeExecution(
    tool.execution,
    mergeExecution(config.toolOptions?.execution, EXECUTION_DEFAULTS.tool),
  );
}

/** Returns the terms on which a call of the tool is executed, as data. */
export function toolTerms(host: Pick<Host, "config">, tool: AnyTool): CallTerms {
  return {
    execution: executionData(toolExecution(host, tool)),
    onRestart: tool.onRestart,
    ...(tool.maxParallel !== undefined && { maxParallel: tool.maxParallel }),
    ...(tool.writes && { writes: tool.writes.map(({ name }) => name) }),
  };
}

type AnsweredRun = Exclude<ToolRun, { readonly suspension: unknown }>;

function textOf({ output }: ToolResultBlock): string {
  return output.map(chunkText).join("");
}

/** Returns the failure, if trying again may help: the tool threw, fell silent, or returned an error. */
function errorOf({ result, error }: AnsweredRun, signal: AbortSignal): AgentError | undefined {
  if (error || signal.aborted) return error;
  const isFailed = result.code === "tool/failed" && result.state === "error";
  return isFailed ? new AgentError("tool/failed", textOf(result)) : undefined;
}

/** Runs the tool, unless a person approved other arguments than it would be given. */
async function runApproved(
  host: Host,
  tool: AnyTool,
  { call, argsHash: approved, slots }: ToolInput,
  ctx: AnyToolContext,
): Promise<ToolRun & Pick<ToolRunOutcome, "ran">> {
  const start = host.config.rules && engineOf(host.config)?.startIn(host, ctx.signal);
  try {
    const prepared = await host.inputs.take(tool, call, approved !== undefined);
    if (start) await start.before;
    if (approved !== undefined && "value" in prepared && prepared.argsHash !== approved) {
      const text = `What tool '${call.name}' would be given has changed since it was approved, so it did not run.`;
      return { result: deniedResult(call, text) };
    }
    // before it runs: `execute` may change what it is given
    const ran = "value" in prepared ? ranWith(call.input, prepared.value, tool.preset) : undefined;
    const running = runTool(tool, call, prepared, ctx, slots);
    start?.begun();
    return { ...(await running), ...(ran && { ran }) };
  } finally {
    start?.begun();
  }
}

function silentRun(call: ToolUseBlock, idleTimeoutMs: number): AnsweredRun {
  const message = `The tool said nothing for ${idleTimeoutMs} ms (idle timeout).`;
  return {
    result: silentTool(call, idleTimeoutMs),
    error: new AgentError("tool/timeout", message, { isRetryable: true }),
  };
}

/** One attempt of one call. Never rejects. A tool without output for its `idleTimeoutMs` is aborted and abandoned. `isStopped` is true
 *  once the chart does not wait for it any more. */
export async function runCall(
  host: Host,
  input: ToolInput,
  controller: AbortController,
  isStopped: () => boolean = () => false,
): Promise<ToolRunOutcome> {
  const found = host.find(input.call);
  const observed = host.telemetry?.tool(input, "tool" in found ? found.tool : undefined);
  if (!observed) return attemptCall(host, input, controller, found);
  const onAbort = (): void => void (isStopped() && observed.end(undefined));
  controller.signal.addEventListener("abort", onAbort);
  const outcome = await observed.run(() => attemptCall(host, input, controller, found, observed.traceparent));
  controller.signal.removeEventListener("abort", onAbort);
  observed.end(outcome);
  return outcome;
}

async function attemptCall(
  host: Host,
  input: ToolInput,
  controller: AbortController,
  found: FoundTool,
  traceparent?: string,
): Promise<ToolRunOutcome> {
  const { signal } = controller;
  const { call, attempt } = input;
  const refused = input.refused && errorResult(call, "tool/unavailable", `Error: ${input.refused}`);
  if (refused) return { at: host.now(), callId: call.id, attempt, result: refused };
  if ("result" in found) return { at: host.now(), callId: call.id, attempt, result: found.result };
  const { tool } = found;
  const hooks = host.hooks().filter((hook) => hook.actingChunk);
  const { retryOn = "all", idleTimeoutMs } = toolExecution(host, tool);
  const silence = Promise.withResolvers<ToolRun & Pick<ToolRunOutcome, "ran">>();
  const idle = startIdleTimer(idleTimeoutMs, signal, () => {
    silence.resolve(silentRun(call, idleTimeoutMs!));
    controller.abort();
  });
  let isOver = false;
  let spent: Spent | undefined;
  let rules: RuleStates | undefined;
  const ctx: AnyToolContext = {
    callId: call.id,
    idempotencyKey: `${host.sessionId}/${call.id}`,
    attempt,
    signal,
    deadlineAt: input.deadlineAt ?? Number.POSITIVE_INFINITY,
    context: host.context(),
    sessionId: host.sessionId,
    slots: slotReader(() => input.slots),
    ...(input.resumed && { resumed: input.resumed }),
    ...(traceparent !== undefined && { traceparent }),
    emit: (chunk) => {
      if (isOver || signal.aborted) return; // the call has ended or was aborted
      idle.restart();
      const delta = chunkText(chunk);
      host.emit({ type: "tool.delta", callId: call.id, delta });
      const event = Object.freeze({ ...host.hookEvent(input, signal), call, delta });
      for (const hook of hooks) observe(host, hook, () => hook.actingChunk?.(event));
    },
  };
  bindOuterCall(ctx, {
    host,
    emit: (event, source) => {
      if (isOver) return;
      idle.restart();
      host.emit(event, { source });
    },
    spend: (by) => void (spent = by),
    remember: (states) => void (rules = states),
  });
  const ended = noteStart(call, host.now());
  const running = runApproved(host, tool, input, ctx);
  const run = await (idleTimeoutMs === undefined ? running : Promise.race([running, silence.promise]));
  isOver = true;
  idle.stop();
  const at = host.now();
  ended("suspension" in run ? undefined : at);
  if ("suspension" in run) {
    const { expiresAfterMs } = host.permissions() ?? {};
    const expires = expiresAfterMs !== undefined && { expiresAt: at + expiresAfterMs };
    return {
      at,
      callId: call.id,
      attempt,
      suspension: run.suspension,
      ...(run.ran && { ran: run.ran }),
      ...(spent && { spent }),
      ...(rules && { rules }),
      ...expires,
    };
  }
  const error = errorOf(run, signal);
  const retry = error !== undefined && mayRetry(error, retryOn);
  const isDated = retry && Number.isFinite(error.retryAt);
  return {
    at,
    callId: call.id,
    attempt,
    result: run.result,
    ...(run.ran && { ran: run.ran }),
    ...(run.slots && { slots: run.slots }),
    ...(spent && { spent }),
    ...(rules && { rules }),
    retry,
    ...(isDated && { retryAt: error.retryAt! }),
  };
}

type Times = { readonly startedAt: number; endedAt?: number };

/** The last attempt of each call of an open batch. It goes with the call. */
const times = new WeakMap<ToolUseBlock, Times>();

/** Notes that an attempt of a call begins; only the last attempt counts. Returns a function that notes its end: undefined if it has no
 *  result, because the call waits. */
export function noteStart(call: ToolUseBlock, startedAt: number): (endedAt: number | undefined) => void {
  const noted: Times = { startedAt };
  times.set(call, noted);
  return (endedAt) => {
    if (endedAt !== undefined) noted.endedAt = endedAt;
    else if (times.get(call) === noted) times.delete(call);
  };
}

/** Returns the duration of the last attempt of a call, ms, until now if it was abandoned; undefined if the call did not run in this
 *  process. */
export function durationOf(call: ToolUseBlock, now: number): number | undefined {
  const noted = times.get(call);
  return noted && elapsed(noted.startedAt, noted.endedAt ?? now);
}

/** The knowledge of a tool about its call that has an agent of its own inside. */
export type OuterCall = {
  readonly host: Host;
  /** Emits what happened inside, as an event of the outer agent. Ignored once the call has ended. */
  emit(event: AgentEventBody, source: readonly string[]): void;
  /** Says what the inner agent has used in all; a later value replaces an earlier one. It counts once the call has its result. */
  spend(spent: Spent): void;
  /** Says what the rules remember of what the inner agent has done; a later value replaces an earlier one. It counts once the attempt of
   *  the call has ended. */
  remember(rules: RuleStates | undefined): void;
};

/** A call that was suspended to go on, and has got its result without that: its turn was interrupted, or somebody has answered it. */
export type LeftCall = {
  readonly host: Host;
  readonly call: ToolUseBlock;
  /** The state that it remembered. */
  readonly state: Json;
};

/** Brings what waits inside of a call to its end. */
export type LeaveInner = (left: LeftCall) => Promise<void>;

/** The key under which the context of a call has what only tools with an agent inside may know; copies of the context do not have it. */
const OUTER = Symbol("outer call");
const agentTools = new WeakSet<object>();
const leavers = new WeakMap<object, LeaveInner>();

/** Binds the context of a running call to what only tools with an agent inside may know. */
export function bindOuterCall(ctx: AnyToolContext, outer: OuterCall): void {
  Object.defineProperty(ctx, OUTER, { value: outer });
}

/** Returns the call with this context; undefined if it runs in no session. */
export function outerCallOf(ctx: object): OuterCall | undefined {
  return (ctx as { readonly [OUTER]?: OuterCall })[OUTER];
}

/** Says that tools with this `execute` have an agent inside, so that the calls of a batch share the budget. */
export function markAgentTool(execute: object): void {
  agentTools.add(execute);
}

/** Says what is to happen with what waits inside of a call of tools with this `execute`, if the call has its result without it. */
export function onLeft(execute: object, leave: LeaveInner): void {
  leavers.set(execute, leave);
}

/** Returns what {@link onLeft} has said about a tool. */
export function nestedAgentCloser({ execute }: Pick<AnyTool, "execute">): LeaveInner | undefined {
  return execute && leavers.get(execute);
}

/** True for a tool that has an agent inside. */
export function isAgentTool({ execute }: Pick<AnyTool, "execute">): boolean {
  return execute !== undefined && agentTools.has(execute);
}
