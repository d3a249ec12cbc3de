import type { AgentBranch, AgentState } from "../vocabulary.ts";
import { backingOff, calling } from "./shared.ts";

type Following = {
  /** What follows an interrupt. */
  readonly interrupted: AgentBranch;
  /** What follows when nothing has changed; at rest, what follows in any case. */
  readonly leaving: readonly AgentBranch[];
};

/** The prompt is made shorter: old results are cleared, or a model sums up what came before. Nothing that is stored is lost. `goOn` is
 *  the state that follows a shorter prompt. */
export function compacting(
  place: "reasoning.compacting" | "stopped.compacting",
  goOn: `#agent.${string}`,
  { interrupted, leaving }: Following,
): AgentState {
  const isAtRest = place === "stopped.compacting";
  const at = (state: "calling" | "backingOff" | "leaving") => `#agent.${place}.${state}` as const;
  return {
    description: "The prompt is too long: old results are cleared, or what came before is summed up.",
    initial: "planning",
    states: {
      planning: {
        description: "What makes the prompt shorter?",
        decide: [
          isAtRest // the caller wants a summary
            ? { guard: "hasNothingToGain", target: at("leaving"), actions: "giveUpCompaction" }
            : { guard: "clearingSuffices", target: goOn, actions: "clearResults" },
          { target: "calling", actions: "beginCompaction" },
        ],
      },
      calling: calling(
        "The model sums up what came before.",
        "compaction",
        [
          { guard: "isInterrupted", ...interrupted },
          { guard: "retryable", target: at("backingOff"), actions: "planBackoff" },
          { guard: "isUsefulSummary", target: goOn, actions: "applyCompaction" },
          { guard: "mayAskSeparately", target: at("calling"), actions: "askSeparately" },
          { guard: "mayHalve", target: at("calling"), actions: "halvePart" },
          { target: at("leaving"), actions: "giveUpCompaction" },
        ],
        [
          { guard: "isInterrupted", ...interrupted },
          { target: at("leaving"), actions: "giveUpCompaction" },
        ],
      ),
      backingOff: backingOff("calling"),
      leaving: {
        description: "The compaction is over. What follows?",
        decide: leaving,
      },
    },
  };
}
