import type { GenerateOptions, Hook, JsonObject, Msg } from "agentchart";
import {
  type NormalBlock,
  type InputMsg,
  type NormalOptions,
  type RunnerHook,
  notOffered,
} from "./shapes.ts";
import { normalResult, normalCall, normalUsage, normal, toMsg } from "./messages.ts";
import { toOptions } from "./options.ts";
import { toTool } from "./tools.ts";

type HookEvent = { type: string; [field: string]: unknown };

/** Gives a hook of the suite its event, and returns what it has written on it. */
async function notified<P extends object>(
  hook: RunnerHook,
  type: string,
  fields: object,
  write?: (patch: P) => object,
) {
  const patch = {} as P;
  const event: HookEvent = { type, ...fields };
  for (const action of ["stop", "appendSystem"]) event[action] = () => {}; // elsewhere they change nothing
  for (const action of [
    "goto",
    "setMessage",
    "setInputMessages",
    "setToolUse",
    "setToolResultText",
    "setOptions",
  ]) {
    event[action] = () => notOffered(`${action} at ${type}`);
  }
  await hook.handle(Object.defineProperties(event, Object.getOwnPropertyDescriptors(write?.(patch) ?? {})));
  return patch;
}

function promptHook(
  hook: RunnerHook,
  type: "preReasoning" | "preSummary",
): NonNullable<Hook["preReasoning"]> {
  return (e) =>
    notified<{ messages?: Msg[]; system?: string; options?: GenerateOptions }>(
      hook,
      type,
      { maxIterations: e.maxIters },
      (patch) => {
        let inputMessages = e.messages.map((message) => normal(message));
        return {
          get inputMessages() {
            return inputMessages;
          },
          setInputMessages(messages: InputMsg[]) {
            patch.messages = messages.map(toMsg);
            inputMessages = patch.messages.map((message) => normal(message));
          },
          appendSystem(text: string) {
            patch.system = joined(patch.system ?? e.system, text);
          },
          setOptions(options: NormalOptions) {
            patch.options = toOptions(options);
          },
        };
      },
    );
}

const joined = (system: string, text: string): string => (system === "" ? text : `${system}\n${text}`);

/** A message that a hook may replace. */
function rewritable(first: Msg, wrote: (message: Msg) => void) {
  let message = normal(first);
  return {
    get message() {
      return message;
    },
    setMessage(next: InputMsg) {
      const msg = toMsg(next);
      message = normal(msg);
      wrote(msg);
    },
  };
}

function withAccessors<T extends object>(accessors: T, more: object): object {
  return Object.defineProperties(more, Object.getOwnPropertyDescriptors(accessors));
}

type StreamedChunk = Parameters<NonNullable<Hook["reasoningChunk"]>>[0];

function normalChunk({ kind, callId, name, delta, soFar, usage }: StreamedChunk) {
  return { type: kind, id: callId, name, delta, acc: soFar, usage: normalUsage(usage) };
}

export function toHook(hook: RunnerHook, interrupt: () => void): Hook {
  return {
    name: hook.name,
    ...(hook.priority !== undefined && { priority: hook.priority }),
    tools: (hook.tools ?? []).map((tool) => toTool(tool, interrupt)),
    preCall: (e) =>
      notified<{ input?: Msg[]; system?: string }>(hook, "preCall", {}, (patch) => {
        let inputMessages = [...e.history, ...e.input].map((message) => normal(message));
        return {
          get inputMessages() {
            return inputMessages;
          },
          setInputMessages(messages: InputMsg[]) {
            const all = messages.map(toMsg);
            inputMessages = all.map((message) => normal(message));
            patch.input = all.slice(e.history.length);
          },
          appendSystem(text: string) {
            patch.system = joined(patch.system ?? e.system, text);
          },
        };
      }),
    preReasoning: promptHook(hook, "preReasoning"),
    preSummary: promptHook(hook, "preSummary"),
    postReasoning: (e) =>
      notified<{ message?: Msg; stop?: boolean; goto?: Msg[] }>(hook, "postReasoning", {}, (patch) =>
        withAccessors(
          rewritable(e.message, (message) => (patch.message = message)),
          {
            stop: () => (patch.stop = true),
            goto: (messages: InputMsg[] | null) => (patch.goto = (messages ?? []).map(toMsg)),
          },
        ),
      ),
    preActing: (e) =>
      notified<{ input?: JsonObject }>(hook, "preActing", {}, (patch) => {
        let toolUse = normalCall(e.call);
        return {
          get toolUse() {
            return toolUse;
          },
          setToolUse(next: NormalBlock) {
            toolUse = next;
            patch.input = next.input ?? {};
          },
        };
      }),
    postActing: (e) =>
      notified<{ result?: { output: { type: "text"; text: string }[] }; stop?: boolean }>(
        hook,
        "postActing",
        { toolUse: normalCall(e.call) },
        (patch) => {
          let toolResult = normalResult(e.result);
          return {
            get toolResult() {
              return toolResult;
            },
            setToolResultText(text: string) {
              toolResult = { ...toolResult, text };
              patch.result = { output: [{ type: "text", text }] };
            },
            stop: () => (patch.stop = true),
          };
        },
      ),
    postSummary: (e) =>
      notified<{ message?: Msg }>(hook, "postSummary", {}, (patch) =>
        rewritable(e.message, (message) => (patch.message = message)),
      ),
    postCall: (e) =>
      notified<{ reply?: Msg }>(hook, "postCall", {}, (patch) =>
        rewritable(e.reply, (reply) => (patch.reply = reply)),
      ),
    reasoningChunk: (e) => hook.handle({ type: "reasoningChunk", chunk: normalChunk(e) }) as never,
    summaryChunk: (e) => hook.handle({ type: "summaryChunk", chunk: normalChunk(e) }) as never,
    actingChunk: ({ call, delta }) =>
      hook.handle({
        type: "actingChunk",
        toolUse: normalCall(call),
        chunk: { type: "text", id: call.id, name: call.name, delta },
      }) as never,
    onError: async ({ error }) => {
      await notified(hook, "error", { error });
    },
  };
}
