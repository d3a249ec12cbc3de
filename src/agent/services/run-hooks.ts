import { isObject } from "../../base/is-object.ts";
import { AgentError, messageOf } from "../../base/error.ts";
import { freeze, frozenCopy, jsonProblem } from "../../base/freeze.ts";
import { pairingProblem } from "../../message/pairing.ts";
import { toolResultsOf, toolUsesOf } from "../../message/query.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Msg, ToolResultBlock } from "../../message/types.ts";
import { checkMessages } from "../../message/validate.ts";
import { outcomeProblem } from "../../tool/outcome.ts";
import { outcomeResult } from "../../tool/results.ts";
import type { ToolOutcome } from "../../tool/types.ts";
import { piecesOf } from "../../../machines/agent/prompt.ts";
import type { Draft } from "../../../machines/agent/context.ts";
import type { HooksInput, HooksOutcome } from "../../../machines/agent/services.ts";
import type { Hook, HookEvent, HookPoint, Prompt } from "../../hook/types.ts";

/** What the fold needs of an agent. */
export type HookScope = {
  readonly hooks: readonly Hook<never>[];
  readonly event: HookEvent<never>;
  /** The prompt as it stands before the hooks of preReasoning or preSummary. */
  prompt(given: PromptInput): Prompt;
  /** A hook of a point that only observes has failed. */
  failed(hook: string, error: unknown): void;
};

type PromptInput = Extract<HooksInput, { readonly point: "preReasoning" | "preSummary" }>;
type Found = Omit<HooksOutcome, "at">;
type Answer = { readonly [key: string]: unknown };

/** Hooks in the order they run: ascending priority, then order of registration. */
export function sortHooks(hooks: readonly Hook<never>[]): readonly Hook<never>[] {
  return hooks.toSorted((a, b) => (a.priority ?? 100) - (b.priority ?? 100));
}

function badReturn(hook: string, point: HookPoint, problem: string): AgentError {
  return new AgentError("hook/bad-return", `Hook '${hook}' returned from ${point}: ${problem}`, {
    data: { hook, point },
  });
}

/** A value that makes no sense, as a message shows it. */
function shown(value: unknown): string {
  const isJson = typeof value !== "function" && jsonProblem(value) === undefined;
  return (isJson ? JSON.stringify(value) : undefined) ?? `a ${typeof value}`;
}

/** Asks one hook: what it returns as an object, or nothing. A throw becomes `hook/failed`. */
async function ask(hook: Hook<never>, point: HookPoint, event: object): Promise<Answer> {
  let answer: unknown;
  try {
    answer = await (hook[point] as ((event: object) => unknown) | undefined)?.(event);
  } catch (error) {
    if (AgentError.is(error) && error.code === "hook/bad-return") throw error;
    throw new AgentError("hook/failed", `Hook '${hook.name}' failed in ${point}: ${messageOf(error)}`, {
      cause: error,
      data: { hook: hook.name, point },
    });
  }
  if (answer === undefined || answer === null) return {};
  if (typeof answer !== "object" || Array.isArray(answer)) {
    throw badReturn(hook.name, point, `expected an object or nothing, got ${shown(answer)}`);
  }
  return answer as Answer;
}

const KINDS = {
  text: (value: unknown): value is string => typeof value === "string",
  "true or false": (value: unknown): value is boolean => typeof value === "boolean",
  "an object": (value: unknown): value is JsonObject => isObject(value),
};
type KindOf<Name extends keyof typeof KINDS> = (typeof KINDS)[Name] extends ((v: unknown) => v is infer T)
  ? T
  : never;

/** One returned field; undefined if it was not returned. */
function fieldOf<Name extends keyof typeof KINDS>(
  hook: string,
  point: HookPoint,
  answer: Answer,
  field: string,
  kind: Name,
): KindOf<Name> | undefined {
  const value = answer[field];
  if (value === undefined) return undefined;
  if (!KINDS[kind](value)) throw badReturn(hook, point, `\`${field}\` must be ${kind}, not ${shown(value)}`);
  const unfit = jsonProblem(value);
  if (unfit !== undefined) throw badReturn(hook, point, `\`${field}\` ${unfit}`);
  return frozenCopy(value) as KindOf<Name>;
}

function messagesOf(hook: string, point: HookPoint, value: unknown): readonly Msg[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw badReturn(hook, point, "expected a list of messages");
  try {
    return Object.freeze(checkMessages(value, `Hook '${hook}', ${point}`));
  } catch (error) {
    throw badReturn(hook, point, messageOf(error));
  }
}

function messageFrom(hook: string, point: HookPoint, value: unknown): Msg | undefined {
  return value === undefined ? undefined : messagesOf(hook, point, [value])![0];
}

/** As `messagesOf`, for messages that a model will read: what they may not hold is said at once, not by the provider. */
function readableOf(hook: string, point: HookPoint, value: unknown): readonly Msg[] | undefined {
  const messages = messagesOf(hook, point, value);
  if (messages?.some(({ role }) => role === "system")) {
    throw badReturn(
      hook,
      point,
      "hooks must not put system messages among the others; return `system` with the whole system text instead.",
    );
  }
  return messages;
}

/** As `readableOf`, for messages that are stored: calls in them would have nobody who answers them (I2). */
function storableOf(hook: string, point: HookPoint, value: unknown): readonly Msg[] | undefined {
  const messages = readableOf(hook, point, value);
  if (messages?.some((message) => toolUsesOf(message).length > 0)) {
    throw badReturn(hook, point, "only the agent's own answer may ask for tool calls.");
  }
  return messages;
}

/** The agent's own answer as a hook has changed it. */
function answerOf(
  hook: string,
  point: HookPoint,
  value: unknown,
  isTaken: (callId: string) => boolean,
): Msg | undefined {
  if (value === undefined) return undefined;
  const message = messagesOf(hook, point, [value])![0]!;
  if (message.role !== "assistant")
    throw badReturn(hook, point, `the message must have the role assistant, not ${message.role}`);
  if (toolResultsOf(message).length > 0)
    throw badReturn(hook, point, "the message must not hold tool results");
  const ids = toolUsesOf(message).map(({ id }) => id);
  const wrong = ids.find((id, index) => id === "" || ids.indexOf(id) !== index || isTaken(id));
  if (wrong !== undefined)
    throw badReturn(hook, point, `the call id ${JSON.stringify(wrong)} is empty or used already`);
  return message;
}

async function preCall(scope: HookScope, given: HooksInput & { readonly point: "preCall" }): Promise<Found> {
  let { system } = given;
  let input = freeze(given.input);
  const history = Object.freeze(given.transcript.slice());
  for (const hook of scope.hooks) {
    const answer = await ask(hook, "preCall", { ...scope.event, history, input, system });
    input = storableOf(hook.name, "preCall", answer["input"]) ?? input;
    system = fieldOf(hook.name, "preCall", answer, "system", "text") ?? system;
  }
  return { input, system };
}

async function prePrompt(scope: HookScope, given: PromptInput): Promise<Found> {
  const { point } = given;
  const before = frozenPrompt(scope.prompt(given));
  let { messages, system, options } = before;
  let changedBy: string | undefined;
  for (const hook of scope.hooks) {
    const answer = await ask(hook, point, { ...scope.event, ...before, messages, system, options });
    const replaced = readableOf(hook.name, point, answer["messages"]);
    const added = readableOf(hook.name, point, answer["append"]);
    if (replaced || added) {
      messages = Object.freeze([...(replaced ?? messages), ...(added ?? [])]);
      changedBy = hook.name;
    }
    system = fieldOf(hook.name, point, answer, "system", "text") ?? system;
    options = fieldOf(hook.name, point, answer, "options", "an object") ?? options;
  }
  if (changedBy !== undefined) checkPairs(changedBy, point, before.messages, messages);
  const isSame =
    messages.length === before.messages.length && messages.every((m, i) => m === before.messages[i]);
  return {
    edit: {
      ...(!isSame && { pieces: piecesOf(before.messages, messages) }),
      ...(system !== before.system && { system }),
      ...(options !== before.options && { options }),
    },
  };
}

/** The lists of a prompt belong to all hooks of the point; what they hold is frozen already. */
function frozenPrompt(prompt: Prompt): Prompt {
  Object.freeze(prompt.messages);
  Object.freeze(prompt.tools);
  return prompt;
}

/** Hooks must keep calls and results together, as any provider asks; unless they were apart before (I2). */
function checkPairs(hook: string, point: HookPoint, before: readonly Msg[], after: readonly Msg[]): void {
  const problem = pairingProblem(after);
  if (problem !== undefined && pairingProblem(before) === undefined) throw badReturn(hook, point, problem);
}

/** A goto may follow tool calls only with a result for each of them (I2). */
function checkGoto(hook: string, message: Msg, goto: readonly Msg[]): void {
  const asked = toolUsesOf(message);
  if (asked.length === 0) return;
  if (goto.length === 0) {
    const names = asked.map(({ name }) => name).join(", ");
    throw badReturn(
      hook,
      "postReasoning",
      `Cannot proceed without ToolResult when there are pending ToolUse. Pending tools: [${names}]`,
    );
  }
  const given = new Set(goto.flatMap((each) => toolResultsOf(each).map(({ id }) => id)));
  const missing = asked.filter(({ id }) => !given.has(id)).map(({ id }) => id);
  if (missing.length > 0) {
    throw badReturn(
      hook,
      "postReasoning",
      `Missing ToolResult for pending ToolUse. Missing IDs: [${missing.join(", ")}]`,
    );
  }
}

async function postReasoning(
  scope: HookScope,
  given: HooksInput & { readonly draft: Draft },
): Promise<Found> {
  const { finishReason } = given.draft;
  const isTaken = (callId: string): boolean => given.transcript.hasCall(callId);
  let { message } = given.draft;
  let stop = false;
  let goto: readonly Msg[] | undefined;
  let asking = "";
  for (const hook of scope.hooks) {
    const answer = await ask(hook, "postReasoning", { ...scope.event, message, finishReason });
    message = answerOf(hook.name, "postReasoning", answer["message"], isTaken) ?? message;
    stop ||= fieldOf(hook.name, "postReasoning", answer, "stop", "true or false") ?? false;
    const wished = storableOf(hook.name, "postReasoning", answer["goto"]);
    if (wished) [goto, asking] = [[...(goto ?? []), ...wished], hook.name];
  }
  if (goto && !stop) checkGoto(asking, message, goto);
  return { message, stop, ...(goto && !stop && { goto }) };
}

async function preActing(
  scope: HookScope,
  given: HooksInput & { readonly point: "preActing" },
): Promise<Found> {
  const calls: { callId: string; input?: JsonObject; deny?: string }[] = [];
  for (const asked of given.calls) {
    let call = asked;
    let deny: string | undefined;
    for (const hook of scope.hooks) {
      if (deny !== undefined) break;
      const answer = await ask(hook, "preActing", { ...scope.event, call });
      const input = fieldOf(hook.name, "preActing", answer, "input", "an object");
      if (input) {
        const { rawInput: _, ...rest } = call;
        call = Object.freeze({ ...rest, input });
      }
      deny = fieldOf(hook.name, "preActing", answer, "deny", "text");
    }
    const isChanged = call !== asked;
    calls.push({
      callId: call.id,
      ...(isChanged && { input: call.input }),
      ...(deny !== undefined && { deny }),
    });
  }
  return { calls };
}

async function postActing(
  scope: HookScope,
  given: HooksInput & { readonly point: "postActing" },
): Promise<Found> {
  let { result } = given;
  let stop = false;
  for (const hook of scope.hooks) {
    const answer = await ask(hook, "postActing", { ...scope.event, call: given.call, result });
    if (answer["result"] !== undefined) {
      const problem = outcomeProblem(answer["result"]);
      if (problem !== undefined)
        throw badReturn(hook.name, "postActing", `\`result\` is no ToolOutcome: ${problem}`);
      result = frozenCopy(rewritten(result, answer["result"] as ToolOutcome));
    }
    stop ||= fieldOf(hook.name, "postActing", answer, "stop", "true or false") ?? false;
  }
  return { result, stop };
}

/** What a hook puts in place of a result; one that says nothing of the state leaves it, and its code, as it is. */
function rewritten(result: ToolResultBlock, wished: ToolOutcome): ToolResultBlock {
  const outcome = outcomeResult(result, wished);
  const { state, code } = result;
  return wished.state === undefined ? { ...outcome, state, ...(code && { code }) } : outcome;
}

async function postMessage(
  scope: HookScope,
  point: "postSummary" | "postCall",
  key: "message" | "reply",
  first: Msg,
): Promise<Msg> {
  let message = first;
  for (const hook of scope.hooks) {
    const answer = await ask(hook, point, { ...scope.event, [key]: message });
    message =
      (point === "postCall"
        ? messageFrom(hook.name, point, answer[key])
        : answerOf(hook.name, point, answer[key], () => false)) ?? message;
  }
  return message;
}

async function tell(scope: HookScope, point: HookPoint, event: object): Promise<Found> {
  const told = frozenCopy(event);
  for (const hook of scope.hooks) {
    try {
      await ask(hook, point, { ...scope.event, ...told });
    } catch (error) {
      scope.failed(hook.name, error);
    }
  }
  return {};
}

/** Runs the hooks of one point in order, each seeing what the former ones changed, and returns what they came to.
 *  Rejects `hook/failed` if one throws and `hook/bad-return` if one returns what makes no sense; `onInterrupt` and
 *  `onError` never reject. */
export async function runHooks(scope: HookScope, given: HooksInput): Promise<Found> {
  switch (given.point) {
    case "preCall":
      return preCall(scope, given);
    case "preReasoning":
    case "preSummary":
      return prePrompt(scope, given);
    case "postReasoning":
      return postReasoning(scope, given);
    case "preActing":
      return preActing(scope, given);
    case "postActing":
      return postActing(scope, given);
    case "postSummary":
      return { message: await postMessage(scope, "postSummary", "message", given.draft.message) };
    case "postCall":
      return { reply: await postMessage(scope, "postCall", "reply", given.reply) };
    case "onInterrupt": {
      const { message, pending } = given;
      return tell(scope, "onInterrupt", { ...(message && { message }), pending });
    }
    case "onError":
      return tell(scope, "onError", { error: given.error });
  }
}
