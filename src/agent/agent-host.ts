import { randomUUID } from "node:crypto";
import type { AgentError, ErrorInfo } from "../base/error.ts";
import { frozenCopy } from "../base/freeze.ts";
import type { Json } from "../base/json.ts";
import type { EventEmitter } from "../event/emitter.ts";
import { toolResultsOf } from "../message/query.ts";
import type { Msg } from "../message/types.ts";
import { ClientTools } from "../tool/client-tools.ts";
import { OUTPUT_TOOL, READ_RESULT } from "../tool/reserved-names.ts";
import { unavailableTool } from "../tool/results.ts";
import { slotReader } from "../tool/slot-access.ts";
import type { AgentContext, CallRecord, Settings } from "../../machines/agent/context.ts";
import { shareOfBudget } from "../../machines/agent/updates/budget.ts";
import { openCalls } from "../../machines/agent/updates/calls.ts";
import { readResultTool } from "./read-result.ts";
import type { Host } from "./services/host.ts";
import { isAgentTool, leaverOf } from "./services/outer-call.ts";
import { ParsedInputs } from "./services/parsed-inputs.ts";
import { SessionTimer } from "./services/timer.ts";
import type { AgentConfig } from "./types.ts";

/** The session that a host serves. */
type HostedSession = Pick<Host, "toolkit" | "now" | "personas"> & {
  readonly settings: Settings;
  readonly context: AgentContext;
  readonly userContext: never;
  readonly output: ReturnType<Host["output"]>;
  readonly events: Pick<EventEmitter, "emit">;
  readonly journal: { saved(): Promise<void> };
  readonly isStopped: boolean;
};

type RuntimeParts = Pick<Host, "hooks" | "stepTaken" | "modelCalled" | "path" | "telemetry"> & {
  /** Called when the instant has come for which the chart armed the session's timer. */
  onTimer(): void;
};

/** The host of a session's services, and what ends with the session. */
export type AgentHost = Host & {
  /** Brings what waits inside of calls to its end that have got their results without it. */
  leaveInner(before: AgentContext, after: AgentContext): void;
  /** Returns the error of a service that a turn failed with; undefined if it failed in another process, or if the chart itself ended
   *  it. */
  causeOf(failure: ErrorInfo): AgentError | undefined;
  /** Disarms the timer and drops what is kept for the services. */
  stop(): void;
  /** Resolves when nothing holds the end of the session in this process. */
  ended(): Promise<void>;
};

/** The calls that waited to go on, and have got their results without that. */
function leftCalls(before: AgentContext, { calls, transcript }: AgentContext): readonly CallRecord[] {
  const waited = before.calls.filter(
    ({ status, stored, resume }) => resume && !stored && (status === "suspended" || status === "approved"),
  );
  if (waited.length === 0) return [];
  const open = new Set(openCalls({ calls }).map(({ call }) => call.id));
  const answered = new Set(
    transcript
      .slice(before.transcript.commonPrefix(transcript))
      .flatMap(toolResultsOf)
      .map(({ id }) => id),
  );
  return waited.filter(({ call: { id } }) => !open.has(id) && answered.has(id));
}

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
  let readResult: Host["readResult"] | undefined;
  const clientTools = new ClientTools(config.clientTools ?? [], (name) =>
    session.toolkit.names().includes(name),
  );
  const held = new Set<Promise<unknown>>();
  const isAgentCall = ({ call }: CallRecord): boolean => {
    const found = session.toolkit.find(call);
    return "tool" in found && isAgentTool(found.tool);
  };
  const hold = (work: Promise<unknown>): void => {
    held.add(work);
    void work.finally(() => held.delete(work));
  };
  const { personas } = session;
  const persona = (): string | null | undefined => session.context.progress.persona;
  const host: AgentHost = {
    ...parts,
    sessionId,
    personas,
    permissions: () => (personas ? personas.permissionsOf(persona()) : config.permissions),
    config: { ...config, generateOptions: frozenCopy(generateOptions) },
    toolkit: session.toolkit,
    maxIters,
    find: (call) => {
      if (call.name === READ_RESULT && session.context.view?.reads) return { tool: host.readResult };
      const tool = call.name === OUTPUT_TOOL && session.context.wanted ? session.output?.tool : undefined;
      if (tool) return { tool };
      const left = session.context.progress.overrides?.tools;
      if (left && !left.includes(call.name)) return { result: unavailableTool(call) };
      const declared = clientTools.find(call.name, session.context.slots);
      if (declared) return { tool: declared };
      const { transcript, progress } = session.context;
      const before = (): readonly Msg[] => transcript.slice(0, Math.max(0, progress.batchAt));
      const isOthers = personas && !personas.isOffered(persona(), call.name, before);
      return isOthers ? { result: unavailableTool(call) } : session.toolkit.find(call);
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
    get readResult() {
      return (readResult ??= readResultTool(() => session.context.transcript));
    },
    clientTools,
    isWaitedFor: (inner, callId) =>
      openCalls(session.context).some(
        ({ call, resume }) =>
          call.id !== callId && (resume?.state as { readonly sessionId?: Json })?.sessionId === inner,
      ),
    shareOfBudget: (callId) => shareOfBudget(session.context, callId, isAgentCall),
    isLeft: () => session.isStopped,
    holdEnd: hold,
    leaveInner: (before, after) => {
      for (const { call, resume } of leftCalls(before, after)) {
        const found = session.toolkit.find(call);
        const leave = "tool" in found ? leaverOf(found.tool) : undefined;
        if (!leave) continue;
        const left = session.journal.saved().then(() => leave({ host, call, state: resume!.state }));
        hold(left.catch(() => {})); // the next call of its agent finds it
      }
    },
    stop: () => {
      timer.stop();
      inputs.clear();
    },
    ended: async () => void (await Promise.all(held)),
  };
  return host;
}
