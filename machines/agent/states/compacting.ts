import type { AgentBranch, AgentState } from "../vocabulary.ts";
import { backingOff, calling, listens, runHooks } from "./shared.ts";

type Following = {
  /** The transition that follows an interrupt at once. */
  readonly interrupt: AgentBranch;
  /** The transition that follows an interrupt that had to wait for the model. */
  readonly interrupted: AgentBranch;
  /** The transition that follows a service that failed in itself, such as a hook that throws. */
  readonly broken: AgentBranch;
  /** The transitions that follow when nothing has changed; at rest, those that follow in any case. */
  readonly leaving: readonly AgentBranch[];
};

/** The prompt is made shorter: old results are cleared, or a model sums up what came before. Nothing that is stored is lost. `goOn` is
 *  the state that follows a shorter prompt. */
export function compacting(
  place: "reasoning.compacting" | "stopped.compacting",
  goOn: `#agent.${string}`,
  { interrupt, interrupted, broken, leaving }: Following,
): AgentState {
  const isAtRest = place === "stopped.compacting";
  const at = (state: "calling" | "backingOff" | "postHooks" | "leaving") =>
    `#agent.${place}.${state}` as const;
  const apply: AgentBranch = { target: goOn, actions: "applyCompaction" };
  const giveUp: AgentBranch = { target: at("leaving"), actions: "giveUpCompaction" };
  const take: AgentBranch = {
    guard: "isUsefulSummary",
    choose: [{ guard: listens("postCompact"), target: at("postHooks") }, apply],
  };
  return {
    description: "The prompt is too long: old results are cleared, or what came before is summed up.",
    initial: "planning",
    on: { "run.interrupt": interrupt, "xstate.error.actor.*": broken },
    states: {
      planning: {
        description: "What makes the prompt shorter?",
        decide: [
          isAtRest // the caller wants a summary
            ? { guard: "hasNothingToGain", ...giveUp }
            : { guard: "clearingSuffices", target: goOn, actions: "clearResults" },
          { guard: listens("preCompact"), target: "preHooks", actions: "beginCompaction" },
          { target: "calling", actions: "beginCompaction" },
        ],
      },
      preHooks: {
        description:
          "Hooks may say what is summed up and how, give a summary of their own, or do without one.",
        invoke: runHooks(
          ({ progress, view }) => ({ point: "preCompact", compacting: progress.compacting!, view }),
          {
            onDone: {
              actions: "applyPreCompact",
              choose: [take, { guard: "asksNoModel", ...giveUp }, { target: at("calling") }],
            },
          },
        ),
      },
      calling: calling(
        "The model sums up what came before.",
        "compaction",
        [
          { guard: "isInterrupted", ...interrupted },
          { guard: "retryable", target: at("backingOff"), actions: "planBackoff" },
          take,
          { guard: "mayAskSeparately", target: at("calling"), reenter: true, actions: "askSeparately" },
          { guard: "mayHalve", target: at("calling"), reenter: true, actions: "halvePart" },
          giveUp,
        ],
        [{ guard: "isInterrupted", ...interrupted }, giveUp],
      ),
      backingOff: backingOff("calling"),
      postHooks: {
        description: "Hooks may rewrite the summary.",
        invoke: runHooks(
          ({ progress, view, draft }) => ({
            point: "postCompact",
            compacting: progress.compacting!,
            view,
            draft: draft!,
          }),
          {
            onDone: { actions: "applyPostCompact", choose: [{ guard: "isUsefulSummary", ...apply }, giveUp] },
          },
        ),
      },
      leaving: {
        description: "The compaction is over. What follows?",
        decide: leaving,
      },
    },
  };
}
