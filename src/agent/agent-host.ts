import { randomUUID } from "node:crypto";
import type { AgentError, ErrorInfo } from "../base/error.ts";
import { frozenCopy } from "../base/freeze.ts";
import type { EventEmitter } from "../event/emitter.ts";
import { OUTPUT_TOOL, READ_RESULT } from "../tool/reserved-names.ts";
import { slotReader } from "../tool/slot-access.ts";
import type { AgentContext, CallRecord, Settings } from "../../machines/agent/context.ts";
import { shareOfBudget } from "../../machines/agent/updates/budget.ts";
import { openCalls } from "../../machines/agent/updates/calls.ts";
import { readResultTool } from "./read-result.ts";
import type { Host } from "./services/host.ts";
import { isAgentTool } from "./services/outer-call.ts";
import { ParsedInputs } from "./services/parsed-inputs.ts";
import { SessionTimer } from "./services/timer.ts";
import type { AgentConfig } from "./types.ts";

/** The session that a host serves. */
type HostedSession = Pick<Host, "toolkit" | "now"> & {
  readonly settings: Settings;
  readonly context: AgentContext;
  readonly userContext: never;
  readonly output: ReturnType<Host["output"]>;
  readonly events: Pick<EventEmitter, "emit">;
  readonly journal: { saved(): Promise<void> };
  readonly isStopped: boolean;
};

type RuntimeParts = Pick<Host, "hooks" | "stepTaken" | "path" | "telemetry"> & {
  /** Called when the instant has come for which the chart armed the session's timer. */
  onTimer(): void;
};

/** The host of a session's services, and what ends with the session. */
export type AgentHost = Host & {
  /** Returns the error of a service that a turn failed with; undefined if it failed in another process, or if the chart itself ended
   *  it. */
  causeOf(failure: ErrorInfo): AgentError | undefined;
  /** Disarms the timer and drops what is kept for the services. */
  stop(): void;
  /** Resolves when nothing holds the end of the session in this process. */
  ended(): Promise<void>;
};

/** Returns what the services of a session use. */
export function hostFor(session: HostedSession, config: AgentConfig<never>, parts: RuntimeParts): AgentHost {
  const { sessionId, agent, maxIters } = session.settings;
  const { generateOptions = {}, newId = randomUUID } = config;
  const controllers = new Set<AbortController>();
  let lastError: AgentError | undefined;
  const timer = new SessionTimer(() => session.now(), parts.onTimer);
  const inputs = new ParsedInputs((callId) =>
    openCalls(session.context).some(({ call }) => call.id === callId),
  );
  const readResult = readResultTool(() => session.context.transcript);
  const held = new Set<Promise<unknown>>();
  const isAgentCall = ({ call }: CallRecord): boolean => {
    const found = session.toolkit.find(call);
    return "tool" in found && isAgentTool(found.tool);
  };
  return {
    ...parts,
    sessionId,
    config: { ...config, generateOptions: frozenCopy(generateOptions) },
    toolkit: session.toolkit,
    maxIters,
    find: (call) => {
      if (call.name === READ_RESULT && session.context.view?.reads) return { tool: readResult };
      const tool = call.name === OUTPUT_TOOL && session.context.wanted ? session.output?.tool : undefined;
      return tool ? { tool } : session.toolkit.find(call);
    },
    output: () => (session.context.wanted ? session.output : undefined),
    context: () => session.userContext,
    now: () => session.now(),
    newId,
    emit: (event, extras) => session.events.emit(event, extras),
    commit: () => session.journal.saved(),
    perform: ({ name, params }) => {
      if (name === "armTimer") timer.arm((params as { readonly until: number }).until);
      else if (name === "disarmTimer") timer.disarm();
      else controllers.forEach((controller) => controller.abort());
    },
    hold: (controller) => {
      controllers.add(controller);
      return () => void controllers.delete(controller);
    },
    inputs,
    failed: (error) => {
      lastError = error;
      return error.toJSON();
    },
    causeOf: ({ code, message }) =>
      lastError?.code === code && lastError.message === message ? lastError : undefined,
    hookEvent: ({ turn, iteration }, signal) => ({
      agent,
      sessionId,
      turn,
      iteration,
      maxIters,
      context: session.userContext,
      slots: slotReader(() => session.context.slots),
      signal,
    }),
    results: session.settings.results,
    readResult,
    shareOfBudget: (callId) => shareOfBudget(session.context, callId, isAgentCall),
    isLeft: () => session.isStopped,
    holdEnd: (work) => {
      held.add(work);
      void work.finally(() => held.delete(work));
    },
    stop: () => {
      timer.stop();
      inputs.clear();
    },
    ended: async () => void (await Promise.all(held)),
  };
}
