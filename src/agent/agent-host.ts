import { type AgentError, configError, messageOf, type ErrorInfo } from "../core/base/error.ts";
import { frozenCopy, type Json } from "../core/base/json.ts";
import { newId } from "../core/message/msg.ts";
import type { EventEmitter } from "../core/event/emitter.ts";
import type { AgentEventBody } from "../core/event/types.ts";
import type { Msg, ToolUseBlock } from "../core/message/types.ts";
import { ClientTools } from "../core/tool/client-tools.ts";
import { OUTPUT_TOOL, READ_RESULT } from "../core/tool/reserved-names.ts";
import { unavailableTool } from "../core/tool/results.ts";
import type { FoundTool, SessionToolkit } from "../core/tool/toolkit.ts";
import type { Fingerprint } from "../core/tool/fingerprint.ts";
import type { Schema, AnyTool } from "../core/tool/types.ts";
import { slotReader } from "../core/tool/slot.ts";
import { BREAKPOINTS, hasBreakpoints } from "../core/tool/stored-slots.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { takenStep } from "./steps.ts";
import type { AnyHook, AnyHookEvent, HookPoint } from "../core/hook/types.ts";
import type { Position } from "../../machines/agent/services.ts";
import type { AgentContext, WantedOutput } from "../../machines/agent/context.ts";
import type { StepFacts } from "../../machines/agent/facts.ts";
import { ruleEngine } from "../../machines/agent/rule-engine.ts";
import type { RuleStates } from "../core/tool/rules/law.ts";
import type { CallRecord } from "../../machines/agent/call-record.ts";
import type { Limits } from "../../machines/agent/limits.ts";
import type { Settings } from "../../machines/agent/settings.ts";
import { shareOfBudget } from "../../machines/agent/updates/budget.ts";
import { openCalls } from "../../machines/agent/updates/calls.ts";
import { pointsOf, toolkitOf } from "./options/config.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { outputTool } from "./output.ts";
import { Personas } from "./personas.ts";
import { hooksOf, inOrder } from "./class-hooks.ts";
import type { SharedParts } from "./runtime-parts.ts";
import { engineOf } from "./options/agent-rules.ts";
import { readResultTool } from "./read-result.ts";
import type { Host, HostEffect } from "./services/host.ts";
import { isAgentTool, nestedAgentCloser } from "./services/run-call.ts";
import { ParsedInputs } from "../core/tool/prepare-input.ts";
import { SessionTimer } from "./live-chart.ts";
import type { AnyAgentConfig, Permissions } from "./options/agent-config.ts";

/** The session that a host serves. */
type HostedSession = Pick<Host, "now" | "stepTaken" | "modelCalled" | "telemetry"> & {
  readonly settings: Settings;
  readonly context: AgentContext;
  readonly events: Pick<EventEmitter, "emit" | "isHeard">;
  saved(): Promise<void> | undefined;
  readonly isStopped: boolean;
  readonly names: Host["path"];
  /** Called when the instant has come for which the chart armed the session's timer. */
  timerDue(): void;
};

/** The calls that waited to go on, and have got their results without that. */
function abandonedCalls({ calls }: StepFacts): readonly CallRecord[] {
  return calls.flatMap(({ was, is }) => {
    const waited = was?.resume && !was.stored && (was.status === "suspended" || was.status === "approved");
    return waited && is.stored ? [was] : [];
  });
}

/** The schema of the structured answer that is asked for, and the tool that gives it. */
type Output = { readonly schema: Schema; readonly tool: AnyTool };

/** A session without a store has nothing to save. */
const SAVED = Promise.resolve();

/** The maximum number of steps that are retained for the breakpoints of a session without a store. */
const MAX_STEPS = 1000;

/** The host of the services of one session, with what its agent brings to it in this process that the journal does not have. This is its
 *  tools, hooks and personas, the `context` of the user, and the schema of the answer that is asked for. Its tools, timers and lists are
 *  made when they are first needed: a process may have thousands of sessions that rest. */
export class AgentHost implements Host {
  readonly sessionId: string;
  readonly maxIters: number;
  readonly config: AnyAgentConfig;
  readonly toolkit: SessionToolkit;
  readonly personas: Host["personas"];
  readonly results: Host["results"];
  readonly clientTools: ClientTools | undefined;
  readonly inputs: ParsedInputs;
  readonly #session: HostedSession;
  readonly #timer: SessionTimer;
  #readResult: AnyTool | undefined;
  #controllers: Set<AbortController> | undefined;
  /** The promises that delay the end of the session in this process. */
  #held: Set<Promise<unknown>> | undefined;
  #steps: ReturnType<Host["takeSteps"]>[number][] | undefined;
  #lastError: AgentError | undefined;
  /** The hooks in the order in which they were added, and in which they run. */
  #added: readonly AnyHook[];
  #hooks: readonly AnyHook[];
  /** The `context` of the running call, else of the agent. */
  userContext: never;
  /** The memory of the rules of the agent around this one. */
  readonly #rulesAround: RuleStates | undefined;
  /** The fingerprint of the agent with the tools of a version of its toolkit. */
  #agent: { readonly tools: number; readonly fingerprint: Fingerprint } | undefined;
  #schema: Schema | undefined;
  #output: Output | undefined;

  /** Throws `config/invalid` for a `context` of the agent that fails. */
  constructor(
    session: HostedSession,
    config: AnyAgentConfig,
    shared: Omit<SharedParts, "events">,
    rulesAround: RuleStates | undefined,
  ) {
    const { sessionId, maxIters, results } = session.settings;
    const { generateOptions } = config;
    const toolkit = shared.toolkit ?? toolkitOf(config);
    this.#session = session;
    this.sessionId = sessionId;
    this.maxIters = maxIters;
    this.results = results;
    this.toolkit = toolkit;
    this.personas = config.personas && new Personas(config);
    this.#added = shared.hooks ?? hooksOf(config);
    this.#hooks = inOrder(config, this.#added);
    this.#schema = shared.schema;
    this.#rulesAround = rulesAround;
    this.config = generateOptions ? { ...config, generateOptions: frozenCopy(generateOptions) } : config;
    this.clientTools = clientToolsOf(config.toolOptions?.clientTools, toolkit);
    this.#timer = new SessionTimer(session);
    this.inputs = new ParsedInputs(this);
    this.userContext = this.sessionContext();
  }

  /** Returns the context of a session that begins, or comes from elsewhere, with what the rules remember of it. */
  withRules(context: AgentContext): AgentContext {
    const { config } = this;
    const rules =
      config.rules && engineOf(config)?.enter(config, context, this.#rulesAround, this.toolkit.tools());
    return rules ? { ...context, progress: { ...context.progress, rules } } : context;
  }

  /** The parts of which the agent consists. */
  get fingerprint(): Fingerprint {
    const { config, toolkit } = this;
    if (this.#agent?.tools !== toolkit.version)
      this.#agent = { tools: toolkit.version, fingerprint: fingerprintOf(config, toolkit.tools()) };
    return this.#agent.fingerprint;
  }

  /** The `context` of the agent for this session. Throws `config/invalid` if its function fails. */
  sessionContext(): never {
    const { context, meta = {} } = this.config;
    if (typeof context !== "function") return context as never;
    try {
      return (context as (session: object) => never)({ sessionId: this.sessionId, meta });
    } catch (cause) {
      throw configError(`The agent's \`context\` failed: ${messageOf(cause)}`, {
        cause,
      });
    }
  }

  /** The schema of the structured answer, as a call of this process gave it; undefined if none did. */
  get schema(): Schema | undefined {
    return this.#schema;
  }

  set schema(schema: Schema | undefined) {
    this.#schema = schema;
    this.#output = undefined;
  }

  /** The schema of an answer that is asked for, and its tool. If another process was given the schema, it is plain JSON Schema here. */
  #outputOf(wanted: WantedOutput): Output {
    const schema = this.#schema ?? wanted.schema;
    if (this.#output?.schema !== schema) this.#output = { schema, tool: outputTool(schema) };
    return this.#output;
  }

  /** The hooks in the order in which they were added. */
  get allHooks(): readonly AnyHook[] {
    return this.#added;
  }

  /** The points that some hook listens to. */
  get hookPoints(): readonly HookPoint[] {
    return pointsOf(this.#added);
  }

  replaceHooks(hooks: readonly AnyHook[]): void {
    this.#added = hooks;
    this.#hooks = inOrder(this.config, hooks);
  }

  /** True if a call waits for its result. */
  isOpen(callId: string): boolean {
    return openCalls(this.#session.context).some(({ call }) => call.id === callId);
  }

  get path(): readonly string[] {
    return this.#session.names;
  }

  get telemetry(): Host["telemetry"] {
    return this.#session.telemetry;
  }

  permissions(): Permissions | undefined {
    const { personas } = this;
    return personas ? personas.permissionsOf(this.#persona) : this.config.permissions;
  }

  get #persona(): string | null | undefined {
    return this.#session.context.progress.persona;
  }

  get readResult(): AnyTool {
    return (this.#readResult ??= readResultTool(() => this.#session.context));
  }

  find(call: ToolUseBlock): FoundTool {
    const { transcript, progress, slots, view, wanted } = this.#session.context;
    if (call.name === READ_RESULT && view?.reads) return { tool: this.readResult };
    if (call.name === OUTPUT_TOOL && wanted) return { tool: this.#outputOf(wanted).tool };
    const left = progress.overrides?.tools;
    if (left && !left.includes(call.name)) return { result: unavailableTool(call) };
    const declared = this.clientTools?.find(call.name, slots);
    if (declared) return { tool: declared };
    const before = (): readonly Msg[] => transcript.slice(0, Math.max(0, progress.batchAt));
    const isOthers = this.personas && !this.personas.isOffered(this.#persona, call.name, before);
    return isOthers ? { result: unavailableTool(call) } : this.toolkit.find(call);
  }

  output(): ReturnType<Host["output"]> {
    const { wanted } = this.#session.context;
    return wanted ? this.#outputOf(wanted) : undefined;
  }

  hooks(): readonly AnyHook[] {
    return this.#hooks;
  }

  context(): never {
    return this.userContext;
  }

  now(): number {
    return this.#session.now();
  }

  newId(): string {
    return (this.config.sessionOptions?.newId ?? newId)();
  }

  emit(...[event, extras]: Parameters<Host["emit"]>): void {
    this.#session.events.emit(event, extras);
  }

  isHeard(type: AgentEventBody["type"]): boolean {
    return this.#session.events.isHeard(type);
  }

  commit(): Promise<void> {
    return this.#session.saved() ?? SAVED;
  }

  perform({ name, params }: HostEffect): void {
    if (name === "armTimer") this.#timer.arm((params as { readonly until: number }).until);
    else if (name === "disarmTimer") this.#timer.disarm();
    else this.#controllers?.forEach((controller) => controller.abort());
  }

  stepTaken(taken: Parameters<Host["stepTaken"]>[0]): void {
    const { event, step } = taken;
    const { slots } = step.context;
    if (!this.config.store && Object.hasOwn(slots, BREAKPOINTS) && hasBreakpoints(slots)) {
      const { edges, at, account } = takenStep(event as AgentCommand, step, this);
      const steps = (this.#steps ??= []);
      const clears =
        event.type === "slot.write" && (event as { readonly name?: string }).name === BREAKPOINTS;
      steps.push({ edges, at, ...(account && { account }), ...(clears && { clears }) });
      if (steps.length > MAX_STEPS) steps.shift();
    }
    this.#session.stepTaken(taken);
  }

  takeSteps(): ReturnType<Host["takeSteps"]> {
    const steps = this.#steps ?? [];
    this.#steps = undefined;
    return steps;
  }

  hasNews(): boolean {
    const { steering, queued } = this.#session.context.inbox;
    return steering.length > 0 || queued.length > 0;
  }

  modelCalled(describe: Parameters<Host["modelCalled"]>[0]): void {
    this.#session.modelCalled(describe);
  }

  hold(controller: AbortController): () => void {
    const controllers = (this.#controllers ??= new Set());
    controllers.add(controller);
    return () => {
      controllers.delete(controller);
      if (controllers.size === 0 && this.#controllers === controllers) this.#controllers = undefined;
    };
  }

  failed(error: AgentError): ErrorInfo {
    this.#lastError = error;
    return error.toJSON();
  }

  /** Returns the error of a service that a turn failed with; undefined if it failed in another process, or if the chart itself ended
   *  it. */
  causeOf({ code, message }: ErrorInfo): AgentError | undefined {
    const last = this.#lastError;
    return last?.code === code && last.message === message ? last : undefined;
  }

  hookEvent({ turn, iteration }: Position, signal: AbortSignal): AnyHookEvent {
    const session = this.#session;
    return {
      agent: session.settings.agent,
      sessionId: this.sessionId,
      turn,
      iteration,
      maxIters: this.maxIters,
      context: this.userContext,
      slots: slotReader(() => session.context.slots),
      signal,
    };
  }

  isWaitedFor(inner: string, callId: string): boolean {
    return openCalls(this.#session.context).some(
      ({ call, resume }) =>
        call.id !== callId && (resume?.state as { readonly sessionId?: Json })?.sessionId === inner,
    );
  }

  shareOfBudget(callId: string): Limits {
    const isAgentCall = ({ call }: CallRecord): boolean => {
      const found = this.toolkit.find(call);
      return "tool" in found && isAgentTool(found.tool);
    };
    return shareOfBudget(this.#session.context, callId, isAgentCall);
  }

  ruleStates(): RuleStates | undefined {
    const { context } = this.#session;
    return context.settings.rules && ruleEngine().statesOf(context);
  }

  isLeft(): boolean {
    return this.#session.isStopped;
  }

  holdEnd(work: Promise<unknown>): void {
    const held = (this.#held ??= new Set());
    held.add(work);
    void work.finally(() => held.delete(work));
  }

  /** Brings what waits inside of calls to its end that have got their results without it. */
  closeNestedAgents(step: StepFacts): void {
    for (const { call, resume } of abandonedCalls(step)) {
      const found = this.toolkit.find(call);
      const leave = "tool" in found ? nestedAgentCloser(found.tool) : undefined;
      if (!leave) continue;
      const left = this.commit().then(() => leave({ host: this, call, state: resume!.state }));
      this.holdEnd(left.catch(() => {})); // the next call of its agent finds it
    }
  }

  rested(): void {
    this.#timer.release();
  }

  /** Disarms the timer and drops what is cached for the services. */
  stop(): void {
    this.#timer.stop();
    this.inputs.clear();
  }

  /** Resolves when nothing holds the end of the session in this process; undefined if nothing ever did. */
  ended(): Promise<unknown> | undefined {
    return this.#held && Promise.all(this.#held);
  }
}

function clientToolsOf(
  listed: readonly string[] | undefined,
  toolkit: SessionToolkit,
): ClientTools | undefined {
  if (!listed || listed.length === 0) return undefined;
  return new ClientTools(listed, (name) => toolkit.names().includes(name));
}
