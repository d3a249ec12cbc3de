import { type TurnsSummary, aboutTurns, type JournalState } from "../session/format.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { agentChart } from "../../machines/agent/known-chart.ts";
import type { AnyAgentConfig } from "./options/agent-config.ts";
import type { Status, AnyReply } from "./types.ts";
import { elapsed } from "../core/base/time.ts";
import { finishReasonOf, textOf, sourcesOf } from "../core/message/msg.ts";
import type { Msg } from "../core/message/types.ts";
import { exceededByModel, exceededByTools } from "../../machines/agent/updates/budget.ts";
import { pendingCalls } from "../../machines/agent/updates/calls.ts";
import { suspendTurn } from "../../machines/agent/updates/ending.ts";
import { recoveryOf } from "../../machines/agent/updates/interruption.ts";
import type { PendingCall, WaitsFor } from "../core/tool/pending.ts";
import type { Json, JsonObject } from "../core/base/json.ts";
import type { Transcript } from "../core/message/transcript.ts";

/** The persona that has the session, unless it is the agent itself: an agent of a later release may not have it any more. */
function personaOf({ progress, settings }: AgentContext): Pick<Status, "persona"> {
  const { persona } = progress;
  const isOwn = !persona || !Object.hasOwn(settings.handoffs?.systems ?? {}, persona);
  return isOwn ? {} : { persona };
}

/** Returns what a session does, or waits for. */
export function statusOf(context: AgentContext, phase: Status["phase"], seq: number): Status {
  const isWaiting = phase === "suspended";
  return {
    phase,
    ...(context.outcome && { reason: context.outcome.reason }),
    waitsFor: isWaiting ? waitsFor(context) : [],
    pending: isWaiting ? openPending(context) : [],
    ...personaOf(context),
    seq,
  };
}

/** Returns a session as its journal needs it. `state` is the chart's state as journals name it. */
export function journalStateOf(
  { context, phase, waitsFor: waits, state }: Status & Pick<JournalState, "context" | "state">,
  {
    activeGroups,
    hooks,
    name,
    meta,
    about,
  }: Pick<JournalState, "activeGroups" | "hooks"> &
    Pick<AnyAgentConfig, "name" | "meta"> & { readonly about: TurnsSummary },
): JournalState {
  const wakeAt = phase === "suspended" ? resumableAt(context) : undefined;
  return {
    context,
    state,
    ...(activeGroups && { activeGroups }),
    isAtRest: phase !== "running",
    chart: agentChart().hash,
    edges: agentChart().edges,
    hooks,
    position: {
      phase,
      state,
      ...(context.outcome && { reason: context.outcome.reason }),
      ...(waits.length > 0 && { waitsFor: waits }),
      ...(wakeAt !== undefined && { wakeAt }),
      agent: name,
      ...about,
      ...(meta && { meta }),
    },
  };
}

/** Returns what a session at rest waits for. */
export function waitsFor(context: AgentContext): readonly WaitsFor[] {
  const { exceeded } = context.progress;
  if (exceeded !== null) return [exceeded === "breakpoint" ? exceeded : "budget"];
  return [...new Set(pendingCalls(context).map((call) => call.waitsFor))];
}

/** Returns the calls that wait for an answer or a decision; none while the turn waits before a request. */
function openPending(context: AgentContext): readonly PendingCall[] {
  return context.progress.exceeded === null ? pendingCalls(context) : [];
}

/** Returns the epoch ms at which a suspended turn can go on without further input. It is 0 if every call is decided or answered, else the
 *  time when the last open approval expires. Undefined if it needs input. */
export function resumableAt(context: AgentContext): number | undefined {
  const { exceeded, restedAt } = context.progress;
  if (exceeded === "breakpoint") return undefined;
  if (exceeded !== null) {
    const rested = { ...context, at: restedAt ?? context.at };
    return (exceededByTools(rested) ?? exceededByModel(rested)) === undefined ? 0 : undefined;
  }
  const pending = pendingCalls(context);
  if (pending.length === 0) return 0;
  const times = pending.map((call) => (call.decided ? 0 : (call.expiresAt ?? Infinity)));
  const at = Math.max(...times);
  return Number.isFinite(at) ? at : undefined;
}

/** Returns the message of the reply: the one of the turn, or a new one after a restore. */
function messageOf(context: AgentContext): Msg {
  const { outcome, transcript } = context;
  if (outcome?.reply) return outcome.reply;
  const last = transcript.at(-1);
  if (outcome?.reason === "INTERRUPTED" && last?.reason !== "INTERRUPTED") return recoveryOf(context);
  const restored =
    outcome && context.calls.length > 0 ? suspendTurn(context, outcome.reason).outcome?.reply : undefined;
  return restored ?? last!;
}

/** Returns the reply of the turn that has just ended or was suspended. */
export function replyOf(context: AgentContext, output: unknown): AnyReply {
  const message = messageOf(context);
  const { progress, at, outcome } = context;
  const { iterations, modelCalls, toolCalls, usage, startedAt } = progress.stats;
  const finishReason = finishReasonOf(message);
  return {
    ...message,
    ...(finishReason && { finishReason }),
    reason: outcome!.reason,
    text: textOf(message),
    output: output as never,
    pending: openPending(context),
    sources: sourcesOf(context.transcript.slice(progress.turnAt)),
    turn: { usage, iterations, modelCalls, toolCalls, durationMs: elapsed(startedAt, at) },
  };
}

/** Returns the reply as a plain message, for events. */
export function plainReply(context: AgentContext): Msg {
  return { ...messageOf(context), reason: context.outcome!.reason };
}

const NOT_HERE: Pick<Transcript, "at"> = { at: () => undefined };

/** The description of a session that lists show. It is worked out once for each first message and outcome: it is asked at every step. */
export class SessionSummary {
  /** The title that a store has for the first message, which may not be read yet. */
  readonly #title: string | undefined;
  #outcome: AgentContext["outcome"] | undefined;
  #first: Msg | undefined;
  #about: TurnsSummary | undefined;

  constructor(title?: string) {
    this.#title = title;
  }

  /** Returns what lists show, passed through `display`. */
  of(
    { transcript, outcome }: Pick<AgentContext, "transcript" | "outcome">,
    display: (about: Json) => Json = (about) => about,
  ): TurnsSummary {
    const isHere = transcript.from === 0;
    const first = isHere ? transcript.at(0) : undefined;
    if (this.#about && this.#outcome === outcome && this.#first === first) return this.#about;
    const about: TurnsSummary = aboutTurns({
      reason: outcome?.reason,
      error: outcome?.error,
      messages: isHere ? transcript : NOT_HERE,
    });
    const title = isHere || this.#title === undefined ? undefined : { title: this.#title };
    this.#about = { ...title, ...(display(about as JsonObject) as TurnsSummary) };
    this.#outcome = outcome;
    this.#first = first;
    return this.#about;
  }
}
