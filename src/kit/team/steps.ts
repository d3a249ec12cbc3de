import { configError } from "../../core/base/error.ts";
import type { Msg } from "../../core/message/types.ts";
import type { Agent, AnyAgent } from "../../agent/types.ts";
import type { AgentToolAgent } from "./options.ts";

/** An agent of a pipeline. It is a configuration, whose run is a session inside of the pipeline's, or an agent that lives in this process
 *  and has a session of its own. */
export type PipelineAgent = AgentToolAgent | AnyAgent | Agent;

/** A step of a pipeline: an agent, or what {@link sequence}, {@link fanOut}, {@link branch} and {@link repeat} return. */
export type PipelineStep = PipelineAgent | CompositeStep;

/** Several steps as one. */
export type CompositeStep =
  | { readonly kind: "sequence"; readonly steps: readonly PipelineStep[] }
  | ({ readonly kind: "fanOut"; readonly steps: readonly PipelineStep[] } & FanOutOptions)
  | {
      readonly kind: "branch";
      readonly pick: (input: readonly Msg[]) => string;
      readonly steps: { readonly [name: string]: PipelineStep };
    }
  | {
      readonly kind: "repeat";
      readonly step: PipelineStep;
      readonly until: (messages: readonly Msg[], round: number) => boolean;
      readonly max: number;
    };

/** Options of {@link fanOut}. */
export type FanOutOptions = {
  /** The number of steps that run at once; default: all. */
  readonly concurrency?: number | undefined;
  /** `collect` (default): all steps run, and then the pipeline fails with the errors of all. `fail`: steps that have not begun do not
   *  run, and it fails with the first error. */
  readonly onError?: "collect" | "fail" | undefined;
};

const KINDS = ["sequence", "fanOut", "branch", "repeat"];

/** True for several steps as one. */
export function isComposite(step: PipelineStep): step is CompositeStep {
  return "kind" in step && KINDS.includes(step.kind);
}

function checkSteps(steps: readonly unknown[], what: string): void {
  for (const [index, step] of steps.entries()) {
    const { name, kind } = (step ?? {}) as { readonly name?: unknown; readonly kind?: unknown };
    if (typeof name === "string" || KINDS.includes(String(kind))) continue;
    throw configError(
      `${what}: step ${index + 1} is not a step; expected an agent, its configuration, or sequence(…).`,
    );
  }
}

/**
 * Steps one after the other: what one answers is the input of the next. Without steps the answer is the input. Throws `config/invalid`
 * for what is not a step.
 *
 * @example
 * ```ts
 * import type { ChatModel } from "agentchart";
 * import { pipeline, sequence } from "agentchart/team";
 *
 * export const article = (model: ChatModel) =>
 *   pipeline({ name: "article", steps: sequence({ name: "writer", model }, { name: "editor", model }) });
 * ```
 */
export function sequence(...steps: readonly PipelineStep[]): CompositeStep {
  checkSteps(steps, "sequence");
  return { kind: "sequence", steps };
}

/**
 * Steps at once, each with the same input. The answers stand in the order of the steps. Throws `config/invalid` for what is not a step,
 * for no step and for wrong options.
 *
 * @example
 * ```ts
 * import type { ChatModel } from "agentchart";
 * import { fanOut, pipeline } from "agentchart/team";
 *
 * export const opinions = (model: ChatModel) =>
 *   pipeline({
 *     name: "opinions",
 *     steps: fanOut([{ name: "optimist", model }, { name: "pessimist", model }], { concurrency: 2 }),
 *   });
 * ```
 */
export function fanOut(steps: readonly PipelineStep[], options: FanOutOptions = {}): CompositeStep {
  checkSteps(steps, "fanOut");
  const { concurrency, onError, ...others } = options;
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw configError(`fanOut: there is no option \`${other}\`; expected concurrency or onError.`);
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1))
    throw configError(
      `fanOut: \`concurrency\` is ${String(concurrency)}; expected an integer of at least 1.`,
    );
  if (onError !== undefined && !["collect", "fail"].includes(onError))
    throw configError(`fanOut: \`onError\` is ${onError}; expected "collect" or "fail".`);
  if (steps.length === 0) throw configError("fanOut: expected at least one step.");
  return { kind: "fanOut", steps, ...options };
}

/**
 * One of several steps, which `pick` names by the input. It must name the same for the same input. Throws `config/invalid` for what is
 * not a step; a name that it does not have fails the pipeline.
 *
 * @example
 * ```ts
 * import { textOf, type ChatModel } from "agentchart";
 * import { branch, pipeline } from "agentchart/team";
 *
 * export const desk = (model: ChatModel) =>
 *   pipeline({
 *     name: "desk",
 *     steps: branch((input) => (input.some((message) => textOf(message).includes("invoice")) ? "billing" : "support"), {
 *       billing: { name: "billing", model },
 *       support: { name: "support", model },
 *     }),
 *   });
 * ```
 */
export function branch(
  pick: (input: readonly Msg[]) => string,
  steps: { readonly [name: string]: PipelineStep },
): CompositeStep {
  if (typeof pick !== "function") throw configError("branch: expected a function that names a step.");
  checkSteps(Object.values(steps), "branch");
  return { kind: "branch", pick, steps };
}

/**
 * A step again and again, each time with its last answer, until `until` returns true for it, but at most `max` times. `round` counts
 * from 1. Throws `config/invalid` for what is not a step and for a `max` that is not an integer of at least 1. An `until` that returns no
 * boolean, such as an async one, fails the pipeline.
 *
 * @example
 * ```ts
 * import { textOf, type ChatModel } from "agentchart";
 * import { pipeline, repeat, sequence } from "agentchart/team";
 *
 * export const polished = (model: ChatModel) =>
 *   pipeline({
 *     name: "polished",
 *     steps: repeat(
 *       sequence({ name: "critic", model }, { name: "writer", model }),
 *       ([text]) => text !== undefined && textOf(text).includes("FINAL"),
 *       3,
 *     ),
 *   });
 * ```
 */
export function repeat(
  step: PipelineStep,
  until: (messages: readonly Msg[], round: number) => boolean,
  max: number,
): CompositeStep {
  checkSteps([step], "repeat");
  if (typeof until !== "function")
    throw configError("repeat: expected a function that says when it is enough.");
  if (!Number.isInteger(max) || max < 1)
    throw configError(`repeat: \`max\` is ${String(max)}; expected an integer of at least 1.`);
  return { kind: "repeat", step, until, max };
}

/** All agents of a step, each once. */
export function agentsOf(step: PipelineStep): readonly PipelineAgent[] {
  if (!isComposite(step)) return [step];
  if (step.kind === "repeat") return agentsOf(step.step);
  return [...new Set(Object.values(step.steps).flatMap(agentsOf))];
}

/** Returns the maximum number of times that a step asks for calls. */
export function roundsOf(step: PipelineStep): number {
  if (!isComposite(step)) return 1;
  if (step.kind === "repeat") return step.max * roundsOf(step.step);
  const rounds = Object.values(step.steps).map(roundsOf);
  if (step.kind === "branch" || (step.kind === "fanOut" && step.concurrency === undefined))
    return Math.max(0, ...rounds);
  return rounds.reduce((sum, each) => sum + each, 0);
}
