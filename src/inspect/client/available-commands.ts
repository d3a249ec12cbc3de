import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { SessionPhase } from "../../store/port.ts";
import { isInnerSession } from "../../store/shared.ts";
import type { RunCommandType, PendingItem } from "../protocol/commands.ts";

/** The properties of a run that determine its available commands. */
type RunConditions = {
  readonly phase: SessionPhase;
  readonly pending: readonly PendingItem[];
  readonly isOpen: boolean;
  /** With it a new agent can be created in place of a closed one. */
  readonly config: AgentConfig | undefined;
  /** A limit of the budget is exceeded. */
  readonly isExceeded: boolean;
  /** The conversation can be summed up. */
  readonly canCompact: boolean;
  /** The agent has slots that clients may write. */
  readonly hasSlots: boolean;
};

/** Returns the commands that are available now. */
export function availableCommands(run: RunConditions): readonly RunCommandType[] {
  const { isOpen, config, hasSlots, phase } = run;
  const forks = config?.store ? (["fork", "forkPlan"] as const) : [];
  // the run around an inner one drives it alone
  if (isInnerSession(config?.meta ?? {}))
    return [...(isOpen && phase === "running" ? (["interrupt"] as const) : []), ...forks];
  const commands = isOpen || config ? commandsFor(run) : [];
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

function commandsFor(run: RunConditions): readonly RunCommandType[] {
  const { phase, pending, isExceeded, canCompact, config } = run;
  const { onTextWhilePending = "refuse" } = config?.turnOptions ?? {};
  switch (phase) {
    case "running":
      return ["interrupt", "steer", "shutdown"];
    case "suspended":
      return [
        ...(pending.length > 0 ? (["decide"] as const) : []),
        ...(isExceeded ? (["extendBudget"] as const) : []),
        ...(!isExceeded && pending.every(isSettled) ? (["resume"] as const) : []),
        "interrupt",
        ...(onTextWhilePending === "refuse" ? [] : (["send"] as const)),
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
