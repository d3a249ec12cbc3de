import { AgentError, configError } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { truncated } from "../../core/base/shown.ts";
import { wrongAnswer } from "../../core/base/wrong-answer.ts";
import { isTextOrMedia } from "../../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../../core/message/types.ts";
import type { CodeStep, CodeTurn } from "./code-model.ts";
import { isComposite, type CompositeStep, type PipelineAgent, type PipelineStep } from "./steps.ts";

type Call = { readonly name: string; readonly input: JsonObject };

/** A step that runs: it yields the calls of a round, gets their results, and returns what it answers. */
type Run = Generator<readonly Call[], readonly Msg[], readonly ToolResultBlock[]>;

/** The functions that all steps of a pipeline use. */
type Scope = {
  /** The name of the tool of an agent. */
  readonly toolOf: (agent: PipelineAgent) => string;
};

const failureOf = (result: ToolResultBlock): string =>
  result.output.map((block) => (block.type === "text" ? block.text : "")).join("");

/** The answer of an agent as a message. Throws `tool/failed` with the text of a result that is not a message. */
function answerOf(agent: PipelineAgent, result: ToolResultBlock, input: readonly Msg[]): Msg {
  if (result.state !== "success") {
    const message = failureOf(result).replace(/^Error: (?:Execution error: )?/u, "");
    throw new AgentError("tool/failed", message, { data: { agent: agent.name } });
  }
  const { id, output: content } = result;
  const timestamp = input.at(-1)?.timestamp ?? 0; // a pipeline has no clock
  return { id, role: "assistant", name: agent.name, content, metadata: {}, timestamp };
}

function* runAgent(agent: PipelineAgent, input: readonly Msg[], scope: Scope, output?: JsonObject): Run {
  const messages = input as unknown as readonly JsonObject[];
  const call = { name: scope.toolOf(agent), input: { messages, ...(output && { output }) } };
  const [result] = yield [call];
  return [answerOf(agent, result!, input)];
}

/** Runs steps at once: the calls of a round are those of all. Returns the answers, or why there are none, in the order of the steps. */
function* runTogether(
  runs: readonly Run[],
): Generator<readonly Call[], (readonly Msg[] | AgentError)[], readonly ToolResultBlock[]> {
  const done: (readonly Msg[] | AgentError)[] = [];
  const calls = new Map<number, readonly Call[]>();
  const advance = (index: number, results?: readonly ToolResultBlock[]): void => {
    calls.delete(index);
    try {
      const { value, done: isDone } = results ? runs[index]!.next(results) : runs[index]!.next([]);
      if (isDone) done[index] = value;
      else calls.set(index, value);
    } catch (error) {
      if (!AgentError.is(error)) throw error;
      done[index] = error;
    }
  };
  for (const index of runs.keys()) advance(index);
  while (calls.size > 0) {
    const round = [...calls].toSorted(([a], [b]) => a - b);
    const results = yield round.flatMap(([, asked]) => asked);
    let from = 0;
    for (const [index, asked] of round) advance(index, results.slice(from, (from += asked.length)));
  }
  return done;
}

/** So many characters of each cause are in the message of a fan-out; `data.errors` has them whole. */
const MAX_CAUSE = 300;

function failuresText(errors: readonly AgentError[]): string {
  const causes = errors.map(({ data, message }) => {
    const text = truncated(message, MAX_CAUSE);
    return typeof data["agent"] === "string" ? `${data["agent"]}: ${text}` : text;
  });
  return `Multiple agent execution failures occurred: ${causes.join("; ")}`;
}

function* runFanOut(step: CompositeStep & { kind: "fanOut" }, input: readonly Msg[], scope: Scope): Run {
  const { steps, onError = "collect", concurrency = Math.max(1, steps.length) } = step;
  const answers: Msg[] = [];
  const errors: AgentError[] = [];
  for (let from = 0; from < steps.length; from += concurrency) {
    const runs = steps.slice(from, from + concurrency).map((each) => runStep(each, input, scope));
    for (const answer of yield* runTogether(runs)) {
      if (AgentError.is(answer)) errors.push(answer);
      else answers.push(...answer);
    }
    if (onError === "fail" && errors[0]) throw errors[0];
  }
  if (errors.length === 0) return answers;
  throw new AgentError("tool/failed", failuresText(errors), {
    data: { errors: errors.map((error) => ({ ...error.data, message: error.message })) },
  });
}

function isEnough(
  { until }: CompositeStep & { kind: "repeat" },
  messages: readonly Msg[],
  round: number,
): boolean {
  const said: unknown = until(messages, round);
  if (typeof said === "boolean") return said;
  throw configError(`repeat: ${wrongAnswer("`until`", said, "true or false")}.`);
}

function* runStep(step: PipelineStep, input: readonly Msg[], scope: Scope, output?: JsonObject): Run {
  if (!isComposite(step)) return yield* runAgent(step, input, scope, output);
  let messages = input;
  switch (step.kind) {
    case "sequence":
      for (const [index, each] of step.steps.entries())
        messages = yield* runStep(
          each,
          messages,
          scope,
          index === step.steps.length - 1 ? output : undefined,
        );
      return messages;
    case "fanOut":
      return yield* runFanOut(step, input, scope);
    case "branch": {
      const name = step.pick(input);
      const picked = Object.hasOwn(step.steps, name) ? step.steps[name] : undefined;
      if (picked) return yield* runStep(picked, input, scope, output);
      const names = Object.keys(step.steps).join(", ");
      throw configError(`branch: there is no step '${name}'; expected one of ${names}.`);
    }
    case "repeat":
      for (let round = 1; round <= step.max; round++) {
        messages = yield* runStep(step.step, messages, scope, output);
        if (isEnough(step, messages, round)) break;
      }
      return messages;
  }
}

/** Returns the answers of a pipeline as its reply, with each of them in `metadata.replies`. */
function replyOf(messages: readonly Msg[]): CodeStep {
  const content = messages.flatMap((message) => message.content.filter(isTextOrMedia));
  const replies = messages.map(({ name, content: blocks }) => ({ name, content: blocks }));
  return { reply: content, metadata: { replies: replies as unknown as readonly JsonObject[] } };
}

/** Returns the next step of a pipeline: it is run from the beginning with the results that are there. */
export function nextOf(step: PipelineStep, { input, results, output }: CodeTurn, scope: Scope): CodeStep {
  const run = runStep(step, input, scope, output);
  let state = run.next([]);
  for (const round of results) if (!state.done) state = run.next(round);
  return state.done ? replyOf(state.value) : { calls: state.value };
}
