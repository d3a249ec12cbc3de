import type { SessionPhase } from "../../store/port.ts";
import type { RunCommandType, PendingItem } from "../protocol/commands.ts";

/** The properties of a run that determine its available commands. */
export type RunConditions = {
  readonly phase: SessionPhase;
  readonly pending: readonly PendingItem[];
  readonly isOpen: boolean;
  /** A limit of the budget is exceeded. */
  readonly isExceeded: boolean;
  /** A new agent can be created in place of a closed one. */
  readonly hasConfig: boolean;
  /** The session has a store, which forks need. */
  readonly hasStore: boolean;
  /** Text is accepted while calls are open. */
  readonly acceptsText: boolean;
  /** The conversation can be summed up. */
  readonly canCompact: boolean;
  /** The agent has slots that clients may write. */
  readonly hasSlots: boolean;
  /** The run is inside of a call of another one, which alone drives it. */
  readonly isInner: boolean;
};

/** Returns the commands that are available now. */
export function availableCommands(run: RunConditions): readonly RunCommandType[] {
  const { isOpen, hasConfig, hasStore, hasSlots, phase, isInner } = run;
  const forks = hasStore ? (["fork", "forkPlan"] as const) : [];
  if (isInner) return [...(isOpen && phase === "running" ? (["interrupt"] as const) : []), ...forks];
  const commands = isOpen || hasConfig ? commandsFor(run) : [];
  const possible = isOpen ? commands : commands.filter((type) => !NEED_OPEN_AGENT.has(type));
  const canSetSlot = isOpen && hasSlots && phase !== "quarantined";
  return [...possible, ...(canSetSlot ? (["setSlot"] as const) : []), ...forks];
}

const NEED_OPEN_AGENT: ReadonlySet<RunCommandType> = new Set([
  "interrupt",
  "steer",
  "send",
  "compact",
  "shutdown",
]);

function commandsFor({
  phase,
  pending,
  isExceeded,
  acceptsText,
  canCompact,
}: RunConditions): readonly RunCommandType[] {
  switch (phase) {
    case "running":
      return ["interrupt", "steer", "shutdown"];
    case "suspended":
      return [
        ...(pending.length > 0 ? (["decide"] as const) : []),
        ...(isExceeded ? (["extendBudget"] as const) : []),
        ...(!isExceeded && pending.every(isSettled) ? (["resume"] as const) : []),
        "interrupt",
        ...(acceptsText ? (["send"] as const) : []),
      ];
    case "stopped":
      return ["send", ...(canCompact ? (["compact"] as const) : [])];
    case "unfinished":
      return ["resume"];
    case "quarantined":
      return [];
  }
}

/** True if an open call needs no further decision. */
export function isSettled({ decided, waitsFor }: PendingItem): boolean {
  return decided !== undefined || waitsFor === "stopRequested";
}
