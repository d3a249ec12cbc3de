import { AgentError } from "../../src/core/base/error.ts";
import { TurnStream } from "../../src/agent/stream.ts";
import {
  createAgent as createBare,
  type AnyAgent,
  type AnyAgentConfig,
  type AgentEvent,
  type CallOptions,
  type AnyHook,
  type Input,
  type Reply,
  type Snapshot,
  type StreamOptions,
} from "../../src/index.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import { Replaying } from "./replaying.ts";

/** How often an agent of this process was killed and restored, by the state it was in. */
export const restores = new Map<string, number>();

type Options = CallOptions<undefined, never>;
type Call = {
  readonly input: Input;
  readonly options: Options;
  readonly startedAt: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
  /** Forgets the caller's signal. */
  unlink?: () => void;
};
type Types = readonly AgentEvent["type"][];

/** What a request tells of itself while it is made. */
const OF_REQUESTS: ReadonlySet<string> = new Set<AgentEvent["type"]>([
  "model.start",
  "model.end",
  "block.start",
  "block.delta",
  "block.end",
]);

/** Where the model has answered, and the answer is not stored yet: a restored agent asks again. */
const isAnswered = (state: string): boolean =>
  state === "reasoning.postHooks" || state === "summarizing.postHooks";

/** A state value as one path, without the `running` at its end. */
function pathOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [state, inner] = Object.entries(value as object)[0]!;
  return inner === "running" ? state : `${state}.${pathOf(inner)}`;
}

/** Makes events what a cumulative stream has of them: each delta with its whole block. */
function withSoFar(): (event: AgentEvent) => AgentEvent {
  let soFar = "";
  return (event) => {
    if (event.type === "block.start") soFar = "";
    if (event.type !== "block.delta") return event;
    soFar += event.delta;
    return Object.freeze({ ...event, soFar });
  };
}

/** A signal that aborts with the caller's until it is unlinked. */
function linked(
  signal: AbortSignal,
  notify: () => void,
): { readonly signal: AbortSignal; readonly unlink: () => void } {
  const controller = new AbortController();
  const abort = (): void => {
    notify();
    controller.abort();
  };
  if (signal.aborted) abort();
  else signal.addEventListener("abort", abort, { once: true });
  return { signal: controller.signal, unlink: () => signal.removeEventListener("abort", abort) };
}

/**
 * An agent that does not survive: in each of the given states, and whenever it comes to rest, it is silenced, its snapshot
 * goes through JSON, and another agent with the same configuration goes on. Callers and listeners see one agent.
 */
export class Resumed {
  readonly #config: AnyAgentConfig;
  readonly #killedIn: ReadonlySet<string>;
  readonly #replaying = new Replaying();
  readonly #listeners = new Map<(event: AgentEvent) => void, ReadonlySet<string> | undefined>();
  #inner: AnyAgent;
  #hooks: readonly AnyHook[];
  /** The call whose turn it is, and those that wait for theirs. */
  #calls: readonly Call[] = [];
  #silence: () => void = () => {};
  #state = "";
  /** Where the one before was killed: as far as there, the present agent may go. */
  #spared = "";
  /** Something was said to the present agent since it last moved: it may not be lost. */
  #isTold = false;
  /** The present agent dies as it likes. */
  #isLast = false;
  /** The calls of which an attempt was heard to start. */
  readonly #started = new Set<string>();
  /** A tool was said to start; nobody hears of it before it is clear that it will. */
  #held: AgentEvent[] | undefined;
  #n = 0;

  constructor(config: AnyAgentConfig, killedIn: readonly string[]) {
    const { model, modelOptions } = config;
    this.#killedIn = new Set(killedIn);
    this.#hooks = config.hooks ?? [];
    createBare(config); // what is not a configuration is refused here
    this.#config = {
      ...config,
      model: this.#replaying.model(model),
      ...(modelOptions?.fallbackModel && {
        modelOptions: { ...modelOptions, fallbackModel: this.#replaying.model(modelOptions.fallbackModel) },
      }),
    };
    this.#inner = createBare(this.#config);
    this.#follow();
  }

  get inner(): AnyAgent {
    return this.#inner;
  }

  /** What is said to the agent reaches the one that lives now. */
  tell<T>(say: (agent: AnyAgent) => T): T {
    this.#isTold = true;
    return say(this.#inner);
  }

  /** The agent that lives now; no other comes after it. */
  last(): AnyAgent {
    this.#isLast = true;
    return this.#inner;
  }

  async call(input?: Input, options: Options = {}): Promise<Reply> {
    if (typeof options !== "object" || options === null) return this.#inner.call(input, options);
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    const call = { input, options, startedAt: Date.now(), resolve, reject };
    this.#begin(call);
    return promise;
  }

  stream(input?: Input, options: Options & StreamOptions = {}): unknown {
    if (typeof options !== "object" || options === null) return this.#inner.stream(input, options);
    let mine: Call | undefined;
    const complete = options.cumulative ? withSoFar() : (event: AgentEvent) => event;
    const source = {
      subscribe: (listener: (event: AgentEvent) => void) =>
        this.subscribe((event) => mine && mine === this.#calls[0] && listener(complete(event))),
      run: () => {
        const { promise, resolve, reject } = Promise.withResolvers<Reply>();
        mine = { input, options, startedAt: Date.now(), resolve, reject };
        this.#begin(mine);
        return promise;
      },
      onLeave: () => void (options.onLeave === "continue" || this.tell((agent) => agent.interrupt())),
    };
    return new TurnStream(source);
  }

  subscribe(listener: (event: AgentEvent) => void, options: { readonly types?: Types } = {}): () => void {
    this.#inner.subscribe(listener, options)(); // who asks for what there is not, hears of it here
    const own = (event: AgentEvent): void => listener(event);
    this.#listeners.set(own, options.types && new Set(options.types));
    return () => void this.#listeners.delete(own);
  }

  addHook(hook: AnyHook): void {
    this.tell((agent) => agent.addHook(hook));
    this.#hooks = [...this.#hooks, hook];
  }

  removeHook(name: string): boolean {
    this.#hooks = this.#hooks.filter((hook) => hook.name !== name);
    return this.tell((agent) => agent.removeHook(name));
  }

  /** The schema of the turn, which a restored agent does not have. */
  #output: Options["output"];

  #begin(call: Call): void {
    if (this.#calls.length === 0) this.#spared = "";
    this.#calls = [...this.#calls, call];
    this.#run(call, call.input);
  }

  #run(call: Call, input: Input): void {
    const { options, startedAt } = call;
    const { timeoutMs, signal } = options;
    const own = signal instanceof AbortSignal ? linked(signal, () => (this.#isTold = true)) : undefined;
    call.unlink = own?.unlink ?? (() => {});
    const end = (tell: () => void): void => {
      own?.unlink();
      this.#calls = this.#calls.filter((each) => each !== call);
      this.#rest();
      tell();
    };
    const given = {
      ...options,
      ...(own && { signal: own.signal }),
      ...(typeof timeoutMs === "number" && { timeoutMs: timeoutMs - (Date.now() - startedAt) }),
    };
    const former = this.#output;
    if (options.output !== undefined) this.#output = options.output;
    const inner = this.#inner;
    const isKilled = (): boolean => inner !== this.#inner; // then its process has no answer for anybody
    inner
      .call(input, given)
      .catch((error: unknown) => {
        if (isKilled()) throw error;
        if (AgentError.is(error) && error.code === "run/pending") this.#output = former; // it was refused
        if (!AgentError.is(error) || error.code !== "run/output-schema-missing") throw error;
        return inner.call(input, { ...given, output: this.#output });
      })
      .then(
        (reply) => end(() => call.resolve(reply as Reply)),
        (error: unknown) => {
          if (!isKilled()) end(() => call.reject(error));
        },
      );
  }

  /** Killed and restored, if it is at rest. */
  #rest(): void {
    const { phase } = this.#inner.status();
    if (this.#isLast) return;
    if (this.#calls.length === 0 && (phase === "stopped" || phase === "suspended")) this.#replace(phase);
  }

  #follow(): void {
    const inner = this.#inner;
    const silences = [inner.subscribe((event) => this.#publish(event)), this.#watch(inner)];
    this.#silence = () => silences.forEach((silence) => silence());
  }

  #watch(inner: AnyAgent): () => void {
    let before: readonly string[] = [];
    const { unsubscribe } = inner.actor.subscribe(({ value, context }) => {
      const state = pathOf(value);
      const isTold = this.#isTold;
      this.#isTold = false;
      const running = (context as AgentContext).calls.filter(({ status }) => status === "running");
      const mayRunAgain = running.every(
        ({ call, onRestart }) => onRestart === "retry" && !before.includes(call.id),
      );
      before = running.map(({ call }) => call.id);
      const mayDie = !isTold && !this.#isLast && mayRunAgain && this.#calls.length > 0;
      if (this.#spared !== "") {
        if (state === this.#spared) this.#spared = "";
      } else if (mayDie && this.#killedIn.has(state)) return this.#replace(state);
      this.#release();
    });
    return unsubscribe;
  }

  #replace(state: string): void {
    const old = this.#inner;
    const snapshot = JSON.parse(JSON.stringify(old.snapshot())) as Snapshot;
    this.#silence();
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) if (event.type === "slot") this.#hear(event); // the snapshot has what was written
    old.actor.stop();
    old.actor.send = () => {}; // its timers may still go off
    restores.set(state, (restores.get(state) ?? 0) + 1);
    // the wait may be over by then, and a request that was about to be made is not made twice
    this.#spared = state.endsWith(".backingOff") ? state.replace("backingOff", "calling") : state;
    if (isAnswered(state)) this.#replaying.again();
    this.#inner = createBare(this.#configAfter(old, snapshot));
    this.#follow();
    const calls = this.#calls;
    const isUnfinished = this.#inner.status().phase === "unfinished";
    for (const [index, call] of calls.entries()) {
      call.unlink?.();
      this.#run(call, index === 0 && isUnfinished ? undefined : call.input);
    }
  }

  /** The configuration it was given, with what has been changed of it since. */
  #configAfter(old: AnyAgent, snapshot: Snapshot): AnyAgentConfig {
    const { messages: _, tools, ...config } = this.#config;
    for (const { name } of this.#hooks.flatMap((hook) => hook.tools ?? [])) old.toolkit.remove(name);
    const kit = config.personas ? { tools: tools ?? [] } : { toolkit: old.toolkit }; // the agent adds the tools of personas
    return { ...config, ...kit, hooks: this.#hooks, sessionOptions: { ...config.sessionOptions, snapshot } };
  }

  #publish(event: AgentEvent): void {
    const begins = event.type === "tool.start" && event.attempt > 0;
    if (begins && this.#killedIn.has("acting.executing")) this.#held ??= [];
    if (this.#held) this.#held.push(event);
    else this.#hear(event);
  }

  #release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const event of held) this.#hear(event);
  }

  /** True for the end of an attempt whose start was not heard: its process was killed before. */
  #isEndWithoutStart(event: AgentEvent): boolean {
    if (event.type === "tool.start") this.#started.add(event.call.id);
    if (event.type === "tool.end") return !this.#started.delete(event.callId);
    return event.type === "retry" && event.callId !== undefined && !this.#started.delete(event.callId);
  }

  #hear(event: AgentEvent): void {
    const isRepeated =
      event.type === "turn.start" || (isAnswered(this.#spared) && OF_REQUESTS.has(event.type));
    if (isRepeated && this.#spared !== "") return;
    if (this.#isEndWithoutStart(event)) return;
    if (event.type === "state") {
      if (event.value === this.#state) return;
      this.#state = event.value;
    }
    const heard = [...this.#listeners].filter(([, types]) => types?.has(event.type) ?? true);
    if (heard.length > 0) this.#n++;
    for (const [listener] of heard) {
      try {
        listener(Object.freeze({ ...event, n: this.#n }));
      } catch {
        // as with any agent: a listener harms nobody
      }
    }
    if (event.type === "turn.end") this.#calls = this.#calls.slice(1);
  }
}
