import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import {
  AgentError,
  createAgent,
  createToolkit,
  defineTool,
  EXECUTION_DEFAULTS,
  mergeExecution,
  mergeOptions,
  REASONS,
  suspend,
  textOf,
  toolError,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type Block,
  type ChatModel,
  type ErrorCode,
  type Execution,
  type GenerateOptions,
  type Hook,
  type Json,
  type JsonObject,
  type Msg,
  type Reply,
  type SavedParts,
  type SessionStore,
  type StreamPart,
  type Tool,
  type Toolkit,
  type ToolChoice,
  type ToolResultBlock,
  type ToolUseBlock,
  type Usage,
} from "agentchart";
import { toChatMessages, toChatRequest } from "agentchart/openai";
import { fileStore } from "agentchart/store/file";
import { memoryStore } from "agentchart/store/memory";

// ── the suite's shapes

type NormalBlock = {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: JsonObject;
  suspended?: boolean;
};
type NormalMsg = { role: Msg["role"]; name: string; blocks: NormalBlock[]; [field: string]: unknown };
type InputBlock = NormalBlock & { thinking?: string; output?: string[]; raw?: string };
/** Messages come in with `content`, and come back from hooks with `blocks`. */
type InputMsg = {
  role: Msg["role"];
  name?: string;
  text?: string;
  metadata?: JsonObject;
  content?: InputBlock[];
  blocks?: InputBlock[];
};
type NormalUsage = { input?: number; output?: number; time?: number };
type NormalChoice = { type: "auto" | "none" | "required" | "specific"; name?: string };
type NormalOptions = Omit<GenerateOptions, "toolChoice"> & {
  toolChoice?: NormalChoice | null;
  execution?: Execution;
};
type NormalExecution = Omit<Execution, "retryOn"> & { retryOn?: "all" | string[] };

type RunnerPart = { blocks: (NormalBlock & { raw?: string; args?: string })[]; usage?: NormalUsage };
type RunnerModel = { name: string; stream(request: object): AsyncIterable<RunnerPart> };
type ToolAnswer = { text?: string; error?: string; suspend?: string | null } | undefined;
type RunnerTool = {
  name: string;
  description: string;
  schema: JsonObject;
  groups: string[];
  preset?: JsonObject;
  external: boolean;
  execute(input: unknown, ctx: object): Promise<ToolAnswer>;
};
type RunnerHook = {
  name: string;
  priority?: number;
  tools?: RunnerTool[];
  handle(event: object): Promise<void>;
};
type Env = {
  model: RunnerModel;
  tools: RunnerTool[];
  hooks: RunnerHook[];
  memory?: InputMsg[];
  userChunk?: (text: string) => void;
  sharedToolkit?: object;
};
type Spec = {
  persistence?: SavedParts;
  name?: string;
  sysPrompt?: string;
  maxIters?: number;
  parallel?: boolean;
  options?: NormalOptions;
  execution?: { model?: NormalExecution; tool?: NormalExecution };
  enablePendingToolRecovery?: boolean;
  enableMetaTool?: boolean;
  structuredReminder?: "TOOL_CHOICE" | "PROMPT";
  groups?: { name: string; description?: string; active?: boolean }[];
  plan?: object;
  ltmMode?: string;
  knowledge?: unknown[];
};
type StreamOptions = {
  incremental?: boolean;
  eventTypes?: string[];
  includeReasoningChunk?: boolean;
  includeReasoningResult?: boolean;
  includeActingChunk?: boolean;
  includeSummaryChunk?: boolean;
  includeSummaryResult?: boolean;
  schema?: JsonObject;
};

function notOffered(what: string): never {
  throw new Error(`not offered: ${what}`);
}

// ── messages

/** The message a normal form was made from; it survives the spread by which the runner rewrites a message. */
const ORIGIN = Symbol("origin");
const unchanged = new WeakMap<object, Msg>();

function textOfResult(result: ToolResultBlock): string {
  return result.output.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function normalResult(result: ToolResultBlock): NormalBlock {
  const { id, name, state } = result;
  return { type: "tool_result", id, name, text: textOfResult(result), suspended: state === "suspended" };
}

function normalCall({ id, name, input }: ToolUseBlock): NormalBlock {
  return { type: "tool_use", id, name, input };
}

function normalBlock(block: Block): NormalBlock {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "thinking") return { type: "thinking", text: block.thinking };
  if (block.type === "tool_use") return normalCall(block);
  if (block.type === "tool_result") return normalResult(block);
  return notOffered(block.type);
}

function normalUsage(usage: Usage | undefined): NormalUsage | undefined {
  if (!usage || usage.estimated || (usage.inputTokens ?? usage.outputTokens) === undefined) return undefined;
  const { inputTokens, outputTokens, durationMs } = usage;
  return {
    ...(inputTokens !== undefined && { input: inputTokens }),
    ...(outputTokens !== undefined && { output: outputTokens }),
    ...(durationMs !== undefined && { time: durationMs / 1_000 }),
  };
}

function normal(msg: Msg, more: object = {}): NormalMsg {
  const { role, name, content, reason, metadata, usage } = msg;
  const form = {
    role,
    name,
    blocks: content.map(normalBlock),
    reason,
    metadata,
    usage: normalUsage(usage),
    ...more,
    [ORIGIN]: msg,
  };
  unchanged.set(form, msg);
  return form;
}

function blockOf(block: InputBlock): Block {
  const { type, id = "", name = "", text = "", raw } = block;
  if (type === "text") return { type, text };
  if (type === "thinking") return { type, thinking: block.thinking ?? text };
  if (type === "tool_use") {
    return { type, id, name, input: block.input ?? {}, ...(raw !== undefined && { rawInput: raw }) };
  }
  if (type !== "tool_result") return notOffered(type);
  const output = (block.output ?? [text]).map((each) => ({ type: "text" as const, text: each }));
  return { type, id, name, output, state: block.suspended ? "suspended" : "success" };
}

function toMsg(message: InputMsg): Msg {
  const known = unchanged.get(message);
  if (known) return known;
  const { role, name = role, metadata = {}, text = "" } = message;
  const origin = (message as { [ORIGIN]?: Msg })[ORIGIN];
  const content = (message.content ?? message.blocks ?? [{ type: "text", text }]).map(blockOf);
  return { id: randomUUID(), timestamp: Date.now(), ...origin, role, name, metadata, content };
}

function normalReply(reply: Reply<unknown>): NormalMsg {
  return normal(reply, { structured: reply.output ?? null });
}

// ── options

function toChoice(choice: NormalChoice): ToolChoice {
  return choice.type === "specific" ? { name: choice.name! } : choice.type;
}

function toOptions(options: NormalOptions = {}): GenerateOptions {
  const { toolChoice, execution: _, ...rest } = options;
  return { ...rest, ...(toolChoice && { toolChoice: toChoice(toolChoice) }) };
}

function normalOptions(options: GenerateOptions): NormalOptions {
  const { toolChoice, ...rest } = options;
  if (toolChoice === undefined) return rest;
  return {
    ...rest,
    toolChoice: typeof toolChoice === "string" ? { type: toolChoice } : { type: "specific", ...toolChoice },
  };
}

function kindOf(error: AgentError): string {
  return typeof error.data["kind"] === "string" ? error.data["kind"] : (error.code.split("/")[1] ?? "");
}

function toExecution({ retryOn, ...rest }: NormalExecution): Execution {
  if (retryOn === undefined) return rest;
  return { ...rest, retryOn: retryOn === "all" ? "all" : (error) => retryOn.includes(kindOf(error)) };
}

/** Nothing said is `null` in the suite. */
const orNull = <T extends object>(merged: T): T | null => (Object.keys(merged).length > 0 ? merged : null);

// ── model

const MODEL_CODES: { readonly [kind: string]: readonly [code: ErrorCode, isRetryable: boolean] } = {
  timeout: ["model/timeout", true],
  rate_limit: ["model/rate-limit", true],
  io: ["model/connection", true],
  connection: ["model/connection", true],
  network: ["model/connection", true],
  unavailable: ["model/unavailable", true],
  server_error: ["model/unavailable", true],
  auth: ["model/auth", false],
  bad_request: ["model/bad-request", false],
};

function modelError(thrown: unknown): unknown {
  const { kind, message } = thrown as { kind?: string; message: string };
  if (kind === undefined) return thrown;
  const [code, isRetryable] = MODEL_CODES[kind.toLowerCase().replaceAll("-", "_")] ?? [
    "model/failed" as const,
    false,
  ];
  return new AgentError(code, message, { isRetryable, data: { kind }, cause: thrown });
}

function* partsOf(
  { blocks, usage }: RunnerPart,
  keyOf: (block: NormalBlock) => string,
): Generator<StreamPart> {
  if (usage) {
    const { input, output, time } = usage;
    const said = {
      inputTokens: input,
      outputTokens: output,
      durationMs: time === undefined ? undefined : time * 1_000,
    };
    yield {
      type: "usage",
      usage: Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)),
    };
  }
  for (const block of blocks) {
    const { type, text = "", id, name, input } = block;
    if (type === "text") yield { type: "text.delta", delta: text };
    else if (type === "thinking") yield { type: "thinking.delta", delta: text };
    else {
      const args = type === "tool_use" ? block.raw : block.args;
      yield {
        type: "tool.delta",
        key: keyOf(block),
        ...(id !== undefined && { id }),
        ...(name !== undefined && !name.startsWith("__") && { name }),
        ...(args !== undefined && { args }),
        ...(input && { input }),
      };
    }
  }
}

/** Fragments belong together by id, else by name, else to the call before. */
function fragmentKeys(): (block: NormalBlock) => string {
  let last = "";
  let calls = 0;
  return ({ type, id, name }) => {
    if (type === "tool_use") last = `call:${++calls}`;
    else if (id) last = `id:${id}`;
    else if (name && !name.startsWith("__")) last = `name:${name}`;
    return last;
  };
}

function toModel(model: RunnerModel): ChatModel {
  return {
    name: model.name,
    async *stream({ messages, tools, options, execution }, { signal }) {
      const keyOf = fragmentKeys();
      const request = {
        messages: messages.map((message) => normal(message)),
        tools: tools.map(({ name, description, inputSchema }) => ({
          name,
          description,
          parameters: inputSchema,
        })),
        options: { ...normalOptions(options), execution },
        signal,
      };
      try {
        for await (const part of model.stream(request)) {
          yield* partsOf(part, keyOf);
          await setImmediate(); // parts of a real stream arrive one by one, and a reader sees each of them
        }
      } catch (error) {
        throw modelError(error);
      }
    },
  };
}

// ── tools

/** The suite's tools hear of no abort: like AgentScope's they run to their end, if they are left the time. */
function toTool(tool: RunnerTool, interrupt: () => void): Tool {
  const { name, description, schema, groups, preset, external } = tool;
  return defineTool({
    name,
    description,
    input: schema,
    groups,
    ...(preset && { preset }),
    ...(!external && {
      execute: async (input: JsonObject, { emit }: { emit(chunk: string): void }) => {
        const emitOne = async (text: string): Promise<void> => {
          emit(text);
          await setImmediate(); // a reader sees each chunk
        };
        const answer = await tool.execute(input, { emit: emitOne, interrupt });
        if (answer === undefined) return undefined as never;
        if (answer.error !== undefined) return toolError(answer.error);
        if (answer.suspend !== undefined) return suspend(answer.suspend ?? undefined);
        return answer.text ?? null;
      },
    }),
  });
}

// ── hooks

type HookEvent = { type: string; [field: string]: unknown };

/** Gives a hook of the suite its event, and returns what it has written on it. */
async function told<P extends object>(
  hook: RunnerHook,
  type: string,
  fields: object,
  write?: (patch: P) => object,
) {
  const patch = {} as P;
  const event: HookEvent = { type, ...fields };
  for (const action of [
    "stop",
    "goto",
    "setMessage",
    "setInputMessages",
    "appendSystem",
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
    told<{ messages?: Msg[]; system?: string; options?: GenerateOptions }>(
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

function toHook(hook: RunnerHook, interrupt: () => void): Hook {
  return {
    name: hook.name,
    ...(hook.priority !== undefined && { priority: hook.priority }),
    tools: (hook.tools ?? []).map((tool) => toTool(tool, interrupt)),
    preCall: (e) =>
      told<{ input?: Msg[]; system?: string }>(hook, "preCall", {}, (patch) => {
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
      told<{ message?: Msg; stop?: boolean; goto?: Msg[] }>(hook, "postReasoning", {}, (patch) =>
        withAccessors(
          rewritable(e.message, (message) => (patch.message = message)),
          {
            stop: () => (patch.stop = true),
            goto: (messages: InputMsg[] | null) => (patch.goto = (messages ?? []).map(toMsg)),
          },
        ),
      ),
    preActing: (e) =>
      told<{ input?: JsonObject }>(hook, "preActing", {}, (patch) => {
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
      told<{ result?: { output: { type: "text"; text: string }[] }; stop?: boolean }>(
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
      told<{ message?: Msg }>(hook, "postSummary", {}, (patch) =>
        rewritable(e.message, (message) => (patch.message = message)),
      ),
    postCall: (e) =>
      told<{ reply?: Msg }>(hook, "postCall", {}, (patch) =>
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
      await told(hook, "error", { error });
    },
  };
}

// ── streams

type StreamedMsg = { type: string; last: boolean; msg: NormalMsg };

/** Events of the product as those of the suite; a result that the caller brought is no news to it. */
function* streamed(event: AgentEvent, agent: string, brought: ReadonlySet<string>): Generator<StreamedMsg> {
  if (event.type === "block.delta") {
    const { kind, callId = "", name = "", delta, soFar = delta } = event;
    const block = kind === "tool_use" ? { type: kind, id: callId, name } : { type: kind, text: soFar };
    const msg: NormalMsg = { role: "assistant", name: agent, blocks: [block] };
    yield { type: event.phase === "summary" ? "SUMMARY" : "REASONING", last: false, msg };
  } else if (event.type === "tool.delta") {
    const block = { type: "tool_result", id: event.callId, text: event.delta };
    yield { type: "TOOL_RESULT", last: false, msg: { role: "tool", name: agent, blocks: [block] } };
  } else if (event.type === "message") {
    const { message, phase } = event;
    const isNews = message.content.some((block) => block.type === "tool_result" && !brought.has(block.id));
    if (phase === "summary") yield { type: "SUMMARY", last: true, msg: normal(message) };
    else if (phase === "reasoning") yield { type: "REASONING", last: true, msg: normal(message) };
    else if (isNews) yield { type: "TOOL_RESULT", last: true, msg: normal(message) };
  }
}

function isIncluded({ type, last }: StreamedMsg, options: StreamOptions): boolean {
  if (options.eventTypes && !options.eventTypes.includes(type)) return false;
  if (type === "REASONING")
    return (last ? options.includeReasoningResult : options.includeReasoningChunk) ?? true;
  if (type === "SUMMARY") return (last ? options.includeSummaryResult : options.includeSummaryChunk) ?? true;
  return type !== "TOOL_RESULT" || last || (options.includeActingChunk ?? true);
}

// ── the agent

const shared = new WeakMap<object, Toolkit>();

class Handle {
  readonly #agent: Agent;
  readonly #base: Toolkit;
  readonly #parts: SavedParts;

  constructor(spec: Spec, env: Env) {
    this.#parts = spec.persistence ?? {};
    if (spec.plan) notOffered("plan");
    if (spec.ltmMode) notOffered("long-term memory");
    const interrupt = (): void => this.interrupt();
    this.#base = (env.sharedToolkit && shared.get(env.sharedToolkit)) ?? toolkitFor(spec, env, interrupt);
    if (env.sharedToolkit) shared.set(env.sharedToolkit, this.#base);
    this.#agent = createAgent({
      ...configOf(spec),
      model: toModel(env.model),
      toolkit: this.#base,
      hooks: env.hooks.map((hook) => toHook(hook, interrupt)),
      messages: (env.memory ?? []).map(toMsg),
    });
    const { userChunk } = env;
    if (userChunk) this.#agent.subscribe((event) => event.type === "tool.delta" && userChunk(event.delta));
  }

  async call(messages: InputMsg[] | null, { schema }: { schema?: JsonObject } = {}): Promise<NormalMsg> {
    return normalReply(await this.#agent.call(messages?.map(toMsg), schema && { output: schema }));
  }

  async *stream(messages: InputMsg[] | null, options: StreamOptions = {}): AsyncGenerator<StreamedMsg> {
    const { schema, incremental = true } = options;
    const input = messages?.map(toMsg);
    const brought = new Set(
      (input ?? []).flatMap(({ content }) =>
        content.flatMap((block) => (block.type === "tool_result" ? [block.id] : [])),
      ),
    );
    const stream = this.#agent.stream(input, { cumulative: !incremental, ...(schema && { output: schema }) });
    for await (const event of stream) {
      for (const message of streamed(event, this.#agent.name, brought)) {
        if (isIncluded(message, options)) yield message;
      }
    }
    const result = { type: "AGENT_RESULT", last: true, msg: normalReply(await stream.reply) };
    if (isIncluded(result, options)) yield result;
  }

  async observe(messages: InputMsg[]): Promise<void> {
    await this.#agent.observe(messages.map(toMsg));
  }

  interrupt(message?: InputMsg): void {
    this.#agent.interrupt(message && toMsg(message));
  }

  async memory(): Promise<NormalMsg[]> {
    return (await this.#agent.messages()).map((message) => normal(message));
  }

  async save(session: SessionStore, key: string): Promise<void> {
    await this.#agent.saveTo(session, key, this.#parts);
  }

  async load(session: SessionStore, key: string, { ifExists }: { ifExists: boolean }): Promise<boolean> {
    if (ifExists) return this.#agent.loadIfExists(session, key, this.#parts);
    await this.#agent.loadFrom(session, key, this.#parts);
    return true;
  }

  async invokeTool(name: string, input: JsonObject): Promise<string> {
    return textOfResult(await this.#agent.toolkit.invoke(name, input));
  }

  setGroups({ active = [], inactive = [] }: { active?: string[]; inactive?: string[] }): void {
    this.#agent.toolkit.setGroups({ activate: active, deactivate: inactive });
  }

  updatePreset(tool: string, values: JsonObject): void {
    this.#agent.toolkit.setPreset(tool, values);
  }

  removeTool(name: string): void {
    this.#agent.toolkit.remove(name);
  }

  toolNames(): string[] {
    return this.#agent.toolkit.names();
  }

  baseToolNames(): string[] {
    return this.#base.names();
  }

  activeGroups(): string[] {
    return this.#agent.toolkit.activeGroups();
  }

  plan(): null {
    return null;
  }
}

function toolkitFor({ groups = [], enableMetaTool = false }: Spec, env: Env, interrupt: () => void): Toolkit {
  return createToolkit({
    tools: env.tools.map((tool) => toTool(tool, interrupt)),
    groups,
    metaTool: enableMetaTool,
  });
}

function configOf(spec: Spec): Omit<AgentConfig, "model" | "toolkit"> {
  const { name = "agent", execution = {} } = spec;
  return {
    name,
    ...(spec.sysPrompt !== undefined && { sysPrompt: spec.sysPrompt }),
    ...(spec.maxIters !== undefined && { maxIters: spec.maxIters }),
    ...(spec.parallel !== undefined && { parallelToolCalls: spec.parallel }),
    ...(spec.options && { generateOptions: toOptions(spec.options) }),
    ...(execution.model && { modelExecution: toExecution(execution.model) }),
    ...(execution.tool && { toolExecution: toExecution(execution.tool) }),
    ...(spec.enablePendingToolRecovery && { onTextWhilePending: "cancelPending" }),
    ...(spec.structuredReminder && { structuredReminder: spec.structuredReminder }),
  };
}

// ── errors

const ERROR_TYPES: { readonly [code in ErrorCode]?: string } = {
  "run/busy": "IllegalState",
  "run/pending": "IllegalState",
  "run/bad-results": "IllegalState",
  "run/undecided": "IllegalState",
  "run/closed": "IllegalState",
  "hook/bad-return": "IllegalState",
  "hook/goto-limit": "IllegalState",
  "config/invalid": "IllegalArgument",
  "message/invalid": "IllegalArgument",
  "tool/unknown-group": "IllegalArgument",
  "tool/duplicate": "IllegalArgument",
  "model/timeout": "Timeout",
  "run/timeout": "Timeout",
  "run/aborted": "Interrupted",
};

// ── functions

type GroupStep = { create?: string; update?: string; active?: boolean };
type RequestSpec = {
  model: string;
  options?: NormalOptions | null;
  defaults?: NormalOptions | null;
  tools?: { name: string; description?: string; schema: JsonObject }[];
  toolChoice?: NormalChoice;
  messages?: InputMsg[];
};

const OTHER_SERVER = "http://localhost/v1"; // the field names that AgentScope sends are those of servers other than OpenAI's own

/** What a tool that returns `value` answers to this input. */
async function answerOf(schema: JsonObject, value: Json, input: JsonObject = {}): Promise<string> {
  const tool = defineTool({ name: "give", description: "", input: schema, execute: () => value });
  return textOfResult(await createToolkit({ tools: [tool] }).invoke("give", input));
}

type SessionStep = { readonly save?: string; readonly delete?: string };

/** AgentScope's "memory" and "json" sessions are our stores in memory and in files. */
function openSession(kind: "memory" | "json"): SessionStore {
  return kind === "memory"
    ? memoryStore()
    : fileStore({ dir: mkdtempSync(join(tmpdir(), "agentchart-conformance-")) });
}

const silent: ChatModel = { name: "none", async *stream() {} };

const unit = {
  mergeOptions: (primary: NormalOptions | null, fallback: NormalOptions | null) => {
    const execution = orNull(mergeExecution(primary?.execution, fallback?.execution));
    const options = mergeOptions(primary && toOptions(primary), fallback && toOptions(fallback));
    return orNull({ ...normalOptions(options), ...(execution && { execution }) });
  },
  mergeExecution: (primary: Execution | null, fallback: Execution | null) =>
    orNull(mergeExecution(primary, fallback)),
  makeExecution: (execution: NormalExecution) => {
    createAgent({ name: "check", model: silent, modelExecution: toExecution(execution) });
    return execution;
  },
  isRetryable: (error: { kind: string } | string) => {
    const thrown = modelError({ message: "", ...(typeof error === "string" ? { kind: error } : error) });
    return (thrown as AgentError).isRetryable;
  },
  executionDefaults: (kind: "model" | "tool") => EXECUTION_DEFAULTS[kind],
  groups: (steps: GroupStep[]) => {
    const toolkit = createToolkit();
    for (const { create, update, active = true, ...other } of steps) {
      if (Object.keys(other).length > 0) notOffered(Object.keys(other).join());
      if (create !== undefined) toolkit.addGroup({ name: create, active });
      if (update !== undefined) toolkit.setGroups({ [active ? "activate" : "deactivate"]: [update] });
    }
    return { active: toolkit.activeGroups() };
  },
  validateInput: async (schema: JsonObject | null, input: JsonObject) => {
    const text = await answerOf(schema ?? {}, "valid", input);
    return text === "valid" ? null : text;
  },
  convertReturn: (value: Json) => answerOf({}, value),
  sessionKeys: async (kind: "memory" | "json", steps: SessionStep[]) => {
    const session = openSession(kind);
    const agent = createAgent({ name: "keys", model: silent });
    const exists: { [key: string]: boolean } = {};
    for (const { save, delete: gone } of steps) {
      if (save !== undefined) await agent.saveTo(session, save);
      if (gone !== undefined) await session.delete(gone);
      for (const key of [save, gone])
        if (key !== undefined) exists[key] = (await session.load(key)) !== undefined;
    }
    return { keys: (await session.list()).sessions.map(({ sessionId }) => sessionId), exists };
  },
  msgText: (message: InputMsg) => textOf(toMsg(message)),
  generateReasons: () => REASONS,
  formatOpenAI: (messages: InputMsg[]) => toChatMessages(messages.map(toMsg)).map(flattened),
  openAIRequest: ({ model, options, defaults, tools = [], toolChoice, messages = [] }: RequestSpec) => {
    const said = { ...options, ...(toolChoice && { toolChoice }) };
    return toChatRequest(
      {
        messages: messages.map(toMsg),
        tools: tools.map(({ name, description = "", schema }) => ({
          name,
          description,
          inputSchema: schema,
        })),
        options: mergeOptions(toOptions(said), defaults && toOptions(defaults)),
        execution: {},
      },
      { model, baseURL: OTHER_SERVER },
    );
  },
};

function flattened<T extends { readonly content?: unknown }>(message: T): T {
  const { content } = message;
  return Array.isArray(content)
    ? { ...message, content: content.map(({ text = "" }) => text).join("\n") }
    : message;
}

/** The suite's view of the product: names and shapes, no behaviour. */
export const adapter = {
  capabilities: new Set(["stream", "modelRetry"]),
  errorType: (error: unknown) => (AgentError.is(error) ? ERROR_TYPES[error.code] : undefined),
  createAgent: (spec: Spec, env: Env) => new Handle(spec, env),
  openSession,
  createHub: (_options: object) => notOffered("message hubs"),
  pipeline: (_options: object) => notOffered("pipelines"),
  unit,
};
