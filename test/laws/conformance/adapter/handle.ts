import {
  createAgent,
  createToolkit,
  type Agent,
  type AgentConfig,
  type JsonObject,
  type SessionStore,
  type Toolkit,
} from "agentchart";
import { planNotebook, planSlot, type Plan, type PlanNotebook, type PlanTool } from "agentchart/plan";
import type { SavedParts } from "agentchart/session";
import { type NormalMsg, type InputMsg, type Env, type Spec, type StreamOptions } from "./shapes.ts";
import { textOfResult, normal, toMsg, normalReply } from "./messages.ts";
import { toModelExecution, toOptions, toToolExecution } from "./options.ts";
import { toModel } from "./model.ts";
import { toTool } from "./tools.ts";
import { toMemoryHook } from "./memory.ts";
import { toKnowledgeHooks } from "./knowledge.ts";
import { toHook } from "./hooks.ts";
import { type StreamedMsg, streamed, isIncluded } from "./streams.ts";

const shared = new WeakMap<object, Toolkit>();

export class Handle {
  readonly #agent: Agent;
  readonly #base: Toolkit;
  readonly #parts: SavedParts;
  readonly #notebook: PlanNotebook | undefined;

  constructor(spec: Spec, env: Env) {
    const { plan: slots = true, ...parts } = spec.persistence ?? {};
    this.#parts = { ...parts, slots };
    if (spec.plan) this.#notebook = planNotebook(spec.plan);
    const interrupt = (): void => this.interrupt();
    this.#base = (env.sharedToolkit && shared.get(env.sharedToolkit)) ?? toolkitFor(spec, env, interrupt);
    if (env.sharedToolkit) shared.set(env.sharedToolkit, this.#base);
    this.#agent = createAgent({
      ...configOf(spec),
      model: toModel(env.model),
      toolkit: this.#base,
      hooks: [
        ...(this.#notebook ? [this.#notebook.hook] : []),
        ...(env.ltm ? [toMemoryHook(spec, env.ltm)] : []),
        ...toKnowledgeHooks(spec, env.knowledge ?? []),
        ...env.hooks.map((hook) => toHook(hook, interrupt)),
      ],
      messages: (env.memory ?? []).map(toMsg),
    });
    const { userChunk } = env;
    if (userChunk) this.#agent.subscribe((event) => event.type === "tool.delta" && userChunk(event.delta));
  }

  get agent(): Agent {
    return this.#agent;
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
    if (this.#notebook?.tools.some((tool) => tool.name === name)) {
      const { text } = await this.#notebook.edit(this.#agent, name as PlanTool, input);
      return text;
    }
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

  async plan(): Promise<Plan | null> {
    return this.#notebook ? (await this.#agent.slots.get(planSlot)).value : null;
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
  const ofModel = { ...spec.options?.execution, ...execution.model };
  return {
    name,
    ...(spec.sysPrompt !== undefined && { sysPrompt: spec.sysPrompt }),
    ...(spec.maxIters !== undefined && { maxIters: spec.maxIters }),
    ...(spec.parallel !== undefined && { parallelToolCalls: spec.parallel }),
    ...(spec.options && { generateOptions: toOptions(spec.options) }),
    ...(Object.keys(ofModel).length > 0 && { modelOptions: { execution: toModelExecution(ofModel) } }),
    ...(execution.tool && { toolOptions: { execution: toToolExecution(execution.tool) } }),
    ...(spec.enablePendingToolRecovery && { turnOptions: { onTextWhilePending: "cancelPending" } }),
    ...(spec.structuredReminder && { modelOptions: { structuredReminder: spec.structuredReminder } }),
  };
}
