import { freeze, frozenCopy, isSame, isObject, type JsonObject } from "../../core/base/json.ts";
import { messageOf } from "../../core/base/error.ts";
import { pairingProblem, checkMessages } from "../../core/message/validate.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { Msg, ToolResultBlock } from "../../core/message/types.ts";
import { messagesChangedBy, messageAddedBy, messageChangedBy } from "../../core/message/account.ts";
import { outcomeResult } from "../../core/tool/results.ts";
import { outcomeProblem } from "../../core/tool/outcome.ts";
import type { ToolOutcome } from "../../core/tool/types.ts";
import { piecesOf, type CallEdit, type PromptEdit } from "../../../machines/agent/prompt/edits.ts";
import type { Draft } from "../../../machines/agent/context.ts";
import type { HooksInput, HooksOutcome } from "../../../machines/agent/services.ts";
import type { AnyHook, HookPoint, Prompt } from "../../core/hook/types.ts";
import { badReturn, callHook, fieldOf, type HookScope, type PromptInput } from "./call-hook.ts";
import { postCompact, preCompact } from "./compaction-hooks.ts";

type Outcome = Omit<HooksOutcome, "at">;

/** Returns hooks in the order in which they run: ascending priority, then order of registration. */
export function sortHooks(hooks: readonly AnyHook[]): readonly AnyHook[] {
  return hooks.toSorted((a, b) => (a.priority ?? 100) - (b.priority ?? 100));
}

function messagesOf(hook: string, point: HookPoint, value: unknown): readonly Msg[] | undefined {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw badReturn(hook, point, "expected an array of messages");
  try {
    return Object.freeze(checkMessages(value, `Hook '${hook}', ${point}`));
  } catch (error) {
    throw badReturn(hook, point, messageOf(error));
  }
}

function messageFrom(hook: string, point: HookPoint, value: unknown): Msg | undefined {
  return value === undefined ? undefined : messagesOf(hook, point, [value])![0];
}

/** As `messagesOf`, for messages that a model will read, which must not be system messages. */
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

/** As `readableOf`, for messages that are stored, which must not ask for tool calls: nothing would answer these (I2). */
function storableOf(hook: string, point: HookPoint, value: unknown): readonly Msg[] | undefined {
  const messages = readableOf(hook, point, value);
  if (messages?.some((message) => toolUsesOf(message).length > 0)) {
    throw badReturn(hook, point, "only the model's answer may ask for tool calls.");
  }
  return messages;
}

/** Returns the model's answer as a hook has replaced it. */
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
    throw badReturn(hook, point, "the message must not contain tool results");
  const ids = toolUsesOf(message).map(({ id }) => id);
  const wrong = ids.find((id, index) => id === "" || ids.indexOf(id) !== index || isTaken(id));
  if (wrong !== undefined)
    throw badReturn(hook, point, `the call id ${JSON.stringify(wrong)} is empty or used already`);
  return message;
}

async function preCall(
  scope: HookScope,
  hooksInput: HooksInput & { readonly point: "preCall" },
): Promise<Outcome> {
  let { system } = hooksInput;
  let input = freeze(hooksInput.input);
  await hooksInput.transcript.load();
  const history = Object.freeze(hooksInput.transcript.slice());
  const entered: CallEdit[] = [];
  for (const hook of scope.hooks) {
    const before = { input, system };
    const returned = await callHook(scope, hook, "preCall", { history, input, system });
    const replaced = storableOf(hook.name, "preCall", returned["input"]);
    if (replaced) input = messagesChangedBy(hook.name, input, replaced);
    system = fieldOf(hook.name, "preCall", returned, "system", "a string") ?? system;
    const change = {
      ...(system !== before.system && { system: { before: before.system, after: system } }),
      ...(!areSame(input, before.input) && { input: { before: before.input, after: input } }),
    };
    if (Object.keys(change).length > 0) entered.push({ hook: hook.name, ...change });
  }
  return { input, system, ...(entered.length > 0 && { entered }) };
}

async function prePrompt(scope: HookScope, promptInput: PromptInput): Promise<Outcome> {
  const { point } = promptInput;
  const before = frozenPrompt(scope.prompt(promptInput));
  let { messages, system, options, tools } = before;
  let changedBy: string | undefined;
  const edits: PromptEdit[] = [];
  for (const hook of scope.hooks) {
    const was = { messages, system, options, tools };
    const returned = await callHook(scope, hook, point, { ...before, messages, system, options, tools });
    const replaced = readableOf(hook.name, point, returned["messages"]);
    const added = readableOf(hook.name, point, returned["append"]);
    if (replaced || added) {
      messages = Object.freeze([...(replaced ?? messages), ...(added ?? [])]);
      changedBy = hook.name;
    }
    system = fieldOf(hook.name, point, returned, "system", "a string") ?? system;
    options = fieldOf(hook.name, point, returned, "options", "an object") ?? options;
    tools = someOf(tools, fieldOf(hook.name, point, returned, "tools", "an array of strings"));
    const change = {
      ...(!areSame(messages, was.messages) && { pieces: piecesOf(was.messages, messages) }),
      ...(system !== was.system && { system }),
      ...(options !== was.options && { options }),
      ...(tools !== was.tools && { tools }),
    };
    if (Object.keys(change).length > 0) edits.push({ hook: hook.name, ...change });
  }
  if (changedBy !== undefined) checkPrompt(changedBy, point, messages);
  return { edits };
}

const areSame = (some: readonly Msg[], others: readonly Msg[]): boolean =>
  some === others || (some.length === others.length && some.every((each, index) => each === others[index]));

/** The tools that are wanted of those that are offered; all of them without a wish. A hook offers none that is not there. */
function someOf(offered: readonly string[], wanted: readonly string[] | undefined): readonly string[] {
  return wanted ? Object.freeze(offered.filter((name) => wanted.includes(name))) : offered;
}

/** All hooks of the point receive the same arrays; what they contain is frozen already. */
function frozenPrompt(prompt: Prompt): Prompt {
  Object.freeze(prompt.messages);
  Object.freeze(prompt.tools);
  return prompt;
}

/** Hooks must leave a message, and keep calls and results in pairs, as every provider requires (I2). */
function checkPrompt(hook: string, point: HookPoint, messages: readonly Msg[]): void {
  const problem =
    messages.length === 0
      ? "no message is left in the prompt; expected at least one for the model to answer"
      : pairingProblem(messages);
  if (problem !== undefined) throw badReturn(hook, point, problem);
}

/** A `goto` after tool calls must contain one result for each of them, and no other (I2). */
function checkGoto(hook: string, message: Msg, goto: readonly Msg[]): void {
  const calls = toolUsesOf(message);
  const open = new Set(calls.map(({ id }) => id));
  const unasked = goto.flatMap(toolResultsOf).find(({ id }) => !open.delete(id));
  if (unasked) {
    const ids = calls.map(({ id }) => id).join(", ");
    const problem = `\`goto\` has a tool result for '${unasked.id}', which no open call asks for; expected one for each of [${ids}].`;
    throw badReturn(hook, "postReasoning", problem);
  }
  if (calls.length === 0) return;
  if (goto.length === 0) {
    const names = calls.map(({ name }) => name).join(", ");
    throw badReturn(
      hook,
      "postReasoning",
      `Cannot proceed without ToolResult when there are pending ToolUse. Pending tools: [${names}]`,
    );
  }
  const answered = new Set(goto.flatMap((each) => toolResultsOf(each).map(({ id }) => id)));
  const missing = calls.filter(({ id }) => !answered.has(id)).map(({ id }) => id);
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
  { draft, transcript }: HooksInput & { readonly draft: Draft },
): Promise<Outcome> {
  const { finishReason } = draft;
  const isTaken = (callId: string): boolean => transcript.hasCall(callId);
  let { message } = draft;
  let stoppedBy: string | undefined;
  let goto: readonly Msg[] | undefined;
  const asking: string[] = [];
  for (const hook of scope.hooks) {
    const returned = await callHook(scope, hook, "postReasoning", { message, finishReason });
    if (returned["message"] !== undefined) await transcript.load();
    const replaced = answerOf(hook.name, "postReasoning", returned["message"], isTaken);
    if (replaced) message = messageChangedBy(hook.name, message, replaced);
    if (fieldOf(hook.name, "postReasoning", returned, "stop", "a boolean")) stoppedBy ??= hook.name;
    const messages = storableOf(hook.name, "postReasoning", returned["goto"]);
    if (!messages) continue;
    goto = [...(goto ?? []), ...messages.map((each) => messageAddedBy(hook.name, each))];
    asking.push(hook.name);
  }
  if (stoppedBy !== undefined) return { message, stop: true, stoppedBy };
  if (!goto) return { message, stop: false };
  checkGoto(asking.at(-1)!, message, goto);
  return { message, stop: false, goto, gotoBy: asking.join(", ") };
}

async function preActing(
  scope: HookScope,
  hooksInput: HooksInput & { readonly point: "preActing" },
): Promise<Outcome> {
  const calls: NonNullable<HooksOutcome["calls"]>[number][] = [];
  for (const original of hooksInput.calls) {
    let call = original;
    let deny: string | undefined;
    const by: string[] = [];
    const changes: { hook: string; input: JsonObject }[] = [];
    for (const hook of scope.hooks) {
      if (deny !== undefined) break;
      const returned = await callHook(scope, hook, "preActing", { call });
      const input = fieldOf(hook.name, "preActing", returned, "input", "an object");
      if (input) {
        const { rawInput: _, ...rest } = call;
        call = Object.freeze({ ...rest, input });
        changes.push({ hook: hook.name, input });
      }
      deny = fieldOf(hook.name, "preActing", returned, "deny", "a string");
      if (input || deny !== undefined) by.push(hook.name);
    }
    const isChanged = call !== original;
    calls.push({
      callId: call.id,
      ...(isChanged && { input: call.input, changes }),
      ...(deny !== undefined && { deny, deniedBy: by.at(-1)! }),
      ...(by.length > 0 && { by: by.join(", ") }),
    });
  }
  return { calls };
}

async function postActing(
  scope: HookScope,
  hooksInput: HooksInput & { readonly point: "postActing" },
): Promise<Outcome> {
  let { result } = hooksInput;
  const { call } = hooksInput;
  const durationMs = scope.durationOf(call);
  const fields = { call, ...(durationMs !== undefined && { durationMs }) };
  let stoppedBy: string | undefined;
  const results: { hook: string; before: ToolResultBlock }[] = [];
  for (const hook of scope.hooks) {
    const returned = await callHook(scope, hook, "postActing", { ...fields, result });
    if (returned["result"] !== undefined) {
      const problem = replacementProblem(returned["result"]);
      if (problem !== undefined)
        throw badReturn(hook.name, "postActing", `\`result\` is not a ToolOutcome: ${problem}`);
      const before = result;
      result = frozenCopy(replaceResult(before, returned["result"] as ToolOutcome));
      const isChanged = before.state !== result.state || !isSame(before.output, result.output);
      if (isChanged) results.push({ hook: hook.name, before });
    }
    if (fieldOf(hook.name, "postActing", returned, "stop", "a boolean")) stoppedBy ??= hook.name;
  }
  const stop = stoppedBy === undefined ? { stop: false } : { stop: true, stoppedBy };
  return { result, ...stop, ...(results.length > 0 && { results }) };
}

/** Returns why a hook cannot put this value in the place of a result; undefined if it can. */
function replacementProblem(value: unknown): string | undefined {
  const isWriting = isObject(value) && value["slots"] !== undefined;
  return isWriting ? "`slots` belong beside `result`, not into it" : outcomeProblem(value);
}

/** Returns the result with the outcome of a hook in its place. An outcome without a state keeps the state and the code. */
function replaceResult(result: ToolResultBlock, replacement: ToolOutcome): ToolResultBlock {
  const outcome = outcomeResult(result, replacement);
  const { state, code } = result;
  return replacement.state === undefined ? { ...outcome, state, ...(code && { code }) } : outcome;
}

async function postSummary(scope: HookScope, { message: first }: Draft): Promise<Outcome> {
  let message = first;
  for (const hook of scope.hooks) {
    const returned = await callHook(scope, hook, "postSummary", { message });
    const replaced = answerOf(hook.name, "postSummary", returned["message"], () => false);
    if (replaced) message = messageChangedBy(hook.name, message, replaced);
  }
  return { message };
}

async function postCall(
  scope: HookScope,
  { reply: first, transcript }: HooksInput & { readonly point: "postCall" },
): Promise<Outcome> {
  await transcript.load();
  const history = Object.freeze(transcript.slice());
  let reply = first;
  for (const hook of scope.hooks) {
    const returned = await callHook(scope, hook, "postCall", { reply, history });
    const replaced = messageFrom(hook.name, "postCall", returned["reply"]);
    if (replaced) reply = messageChangedBy(hook.name, reply, replaced);
  }
  return { reply };
}

/** Runs the hooks of a point that only observes. */
async function notify(scope: HookScope, point: HookPoint, fields: object): Promise<Outcome> {
  const event = frozenCopy(fields);
  for (const hook of scope.hooks) {
    try {
      await callHook(scope, hook, point, { ...event });
    } catch (error) {
      scope.onFailure(hook.name, error);
    }
  }
  return {};
}

/** Runs the hooks of one point in order, each with the changes of those before it, and returns their changes together. Rejects
 *  `hook/failed` if one throws, and `hook/bad-return` if one returns a value of the wrong shape. At `onInterrupt` and `onError` it
 *  never rejects. */
export async function runHooks(scope: HookScope, input: HooksInput): Promise<Outcome> {
  const outcome = await runPoint(scope, input);
  const { written } = scope.slots;
  return written ? { ...outcome, slots: written } : outcome;
}

async function runPoint(scope: HookScope, input: HooksInput): Promise<Outcome> {
  switch (input.point) {
    case "preCall":
      return preCall(scope, input);
    case "preReasoning":
    case "preSummary":
      return prePrompt(scope, input);
    case "postReasoning":
      return postReasoning(scope, input);
    case "preActing":
      return preActing(scope, input);
    case "postActing":
      return postActing(scope, input);
    case "postSummary":
      return postSummary(scope, input.draft);
    case "preCompact":
      return { compaction: await preCompact(scope, input) };
    case "postCompact":
      return { summary: await postCompact(scope, input) };
    case "postCall":
      return postCall(scope, input);
    case "onInterrupt": {
      const { message, pending } = input;
      return notify(scope, "onInterrupt", { ...(message && { message }), pending });
    }
    case "onError":
      return notify(scope, "onError", { error: input.error });
  }
}
