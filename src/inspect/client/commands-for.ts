import type { SessionPhase } from "../../store/port.ts";
import type { CommandType, PendingItem } from "../protocol/protocol.ts";

/** What decides about what may be asked of a run. */
export type Standing = {
  readonly phase: SessionPhase;
  readonly pending: readonly PendingItem[];
  readonly isAlive: boolean;
  readonly isExceeded: boolean;
  /** A new agent can be made in place of one that has ended. */
  readonly hasConfig: boolean;
  readonly hasStore: boolean;
  /** Text is taken while calls are open. */
  readonly takesText: boolean;
};

/** What may be asked of a run now. */
export function commandsFor(standing: Standing): readonly CommandType[] {
  const { isAlive, hasConfig, hasStore } = standing;
  const own = isAlive || hasConfig ? forPhase(standing) : [];
  const usable = isAlive ? own : own.filter((type) => !NEEDS_LIFE.has(type));
  return [...usable, ...(hasStore ? (["fork", "forkPlan"] as const) : [])];
}

const NEEDS_LIFE: ReadonlySet<CommandType> = new Set(["interrupt", "steer", "send", "shutdown"]);

function forPhase({ phase, pending, isExceeded, takesText }: Standing): readonly CommandType[] {
  switch (phase) {
    case "running":
      return ["interrupt", "steer", "shutdown"];
    case "suspended":
      return [
        ...(pending.length > 0 ? (["decide"] as const) : []),
        ...(isExceeded ? (["extendBudget"] as const) : []),
        ...(!isExceeded && pending.every(isSettled) ? (["resume"] as const) : []),
        "interrupt",
        ...(takesText ? (["send"] as const) : []),
      ];
    case "stopped":
      return ["send"];
    case "unfinished":
      return ["resume"];
    case "quarantined":
      return [];
  }
}

/** True for an open call about which nobody has to say anything any more. */
export function isSettled({ decided, waitsFor }: PendingItem): boolean {
  return decided !== undefined || waitsFor === "stopRequested";
}
