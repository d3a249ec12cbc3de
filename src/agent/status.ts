import { phaseOf } from "../../machines/agent/phase.ts";
import type { AboutTurns } from "../message/about-turns.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { JournalState } from "../session/format.ts";
import { agentChart } from "./agent-chart.ts";
import { openPending, resumableAt, waitsFor } from "./reply.ts";
import type { AgentConfig } from "./agent-config.ts";
import type { Status } from "./types.ts";

/** What a session's status follows from. */
export type SessionView = {
  readonly context: AgentContext;
  /** The path of the innermost state of the chart. */
  readonly path: string;
  readonly isQuarantined: boolean;
  readonly seq: number;
};

/** The persona that has the session, unless it is the agent itself: an agent of a later release may not have it any more. */
function personaOf({ progress, settings }: AgentContext): Pick<Status, "persona"> {
  const { persona } = progress;
  const isOwn = !persona || !Object.hasOwn(settings.handoffs?.systems ?? {}, persona);
  return isOwn ? {} : { persona };
}

/** Returns what a session does, or waits for. */
export function statusOf({ context, path, isQuarantined, seq }: SessionView): Status {
  const phase = isQuarantined ? "quarantined" : phaseOf(path);
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
    Pick<AgentConfig<never>, "name" | "meta"> & { readonly about: AboutTurns },
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
