import { expect } from "vitest";
import { createStream } from "../../src/agent/stream.ts";
import {
  createAgent as createBare,
  type Agent,
  type AgentConfig,
  type AgentEvent,
  type CallOptions,
  type Hook,
  type Input,
  type Reply,
  type Snapshot,
} from "../../src/index.ts";

export * from "../../src/index.ts";

/** Tests of the agent suite that cannot mean in this mode what they mean without it; for them `createAgent` is the
 *  plain one. */
export const NOT_RESUMED: { readonly [title: string]: string } = {};

/** Where an agent is killed while a turn runs. Its services wait a microtask before they begin, so at this moment the
 *  model was not asked, no hook has run, and no tool has started. */
const KILLED_IN = ["reasoning.calling", "summarizing.calling", "acting.reviewing", "acting.postHooks"];

/** How often an agent of this process was killed and restored, by the state it was in. */
export const restores = new Map<string, number>();

type Options = CallOptions<undefined, never>;
type Call = {
  readonly options: Options;
  readonly startedAt: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * An agent that does not survive: in each of the states above, and whenever it comes to rest, it is silenced, its
 * snapshot goes through JSON, and another agent with the same configuration goes on. Callers and listeners see one agent.
 */
class Resumed {
  readonly #config: AgentConfig<never>;
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  #inner: Agent<never>;
  #hooks: readonly Hook<never>[];
  #call: Call | undefined;
  #queue: Promise<unknown> = Promise.resolve();
  #silence: () => void = () => {};
  #state = "";
  /** Where the one before was killed: as far as there, the present agent may go. */
  #spared = "";
  /** Something was said to the present agent since it last moved: it may not be lost. */
  #isTold = false;
  #n = 0;

  constructor(config: AgentConfig<never>) {
    this.#config = config;
    this.#hooks = config.hooks ?? [];
    this.#inner = createBare(config);
    this.#follow();
  }

  get inner(): Agent<never> {
    return this.#inner;
  }

  /** What is said to the agent reaches the one that lives now. */
  tell<T>(say: (agent: Agent<never>) => T): T {
    this.#isTold = true;
    return say(this.#inner);
  }

  async call(input?: Input, options: Options = {}): Promise<Reply> {
    if (options.whenBusy !== "queue") return this.#begin(input, options);
    const mine = this.#queue.then(() => this.#begin(input, options));
    this.#queue = mine.catch(() => {});
    return mine;
  }

  stream(input?: Input, options: Options & { readonly cumulative?: boolean } = {}): unknown {
    const source = {
      subscribe: (listener: (event: AgentEvent) => void) => this.subscribe(listener),
      run: () => this.call(input, options),
      interrupt: () => void this.tell((agent) => agent.interrupt()),
    };
    return createStream(source, options.cumulative ?? false);
  }

  subscribe(listener: (event: AgentEvent) => void): () => void {
    const own = (event: AgentEvent): void => listener(event);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  addHook(hook: Hook<never>): void {
    this.#hooks = [...this.#hooks, hook];
    this.tell((agent) => agent.addHook(hook));
  }

  removeHook(name: string): boolean {
    this.#hooks = this.#hooks.filter((hook) => hook.name !== name);
    return this.tell((agent) => agent.removeHook(name));
  }

  /** Killed and restored, if it is at rest. */
  rest(): void {
    const { phase } = this.#inner.status();
    if (!this.#call && (phase === "stopped" || phase === "suspended")) this.#replace(phase);
  }

  #begin(input: Input, options: Options): Promise<Reply> {
    if (this.#call) return this.#inner.call(input, options);
    return new Promise((resolve, reject) => {
      this.#call = { options, startedAt: Date.now(), resolve, reject };
      this.#spared = "";
      this.#run(this.#call, input, options);
    });
  }

  #run(call: Call, input: Input, options: Options): void {
    const end = (tell: () => void): void => {
      if (this.#call === call) this.#call = undefined;
      this.rest();
      tell();
    };
    this.#inner.call(input, options).then(
      (reply) => end(() => call.resolve(reply as Reply)),
      (error: unknown) => end(() => call.reject(error)),
    );
  }

  #follow(): void {
    const inner = this.#inner;
    const silences = [inner.subscribe((event) => this.#publish(event)), this.#watch(inner)];
    this.#silence = () => silences.forEach((silence) => silence());
  }

  #watch(inner: Agent<never>): () => void {
    const { unsubscribe } = inner.actor.subscribe((snapshot: { readonly value: unknown }) => {
      const state = Object.entries(snapshot.value as { readonly [state: string]: unknown })
        .map(([outer, of]) => `${outer}.${typeof of === "string" ? of : Object.keys(of as object)[0]}`)
        .join();
      const isTold = this.#isTold;
      this.#isTold = false;
      if (this.#spared !== "") {
        if (state === this.#spared) this.#spared = "";
      } else if (this.#call && !isTold && KILLED_IN.includes(state)) this.#replace(state);
    });
    return unsubscribe;
  }

  #replace(state: string): void {
    const old = this.#inner;
    const snapshot = JSON.parse(JSON.stringify(old.snapshot())) as Snapshot;
    this.#silence();
    old.actor.stop();
    restores.set(state, (restores.get(state) ?? 0) + 1);
    this.#spared = state;
    const { messages: _, ...config } = this.#config;
    this.#inner = createBare({ ...config, hooks: this.#hooks, snapshot });
    this.#follow();
    if (!this.#call) return;
    const { options, startedAt } = this.#call;
    const left = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs - (Date.now() - startedAt) };
    this.#run(this.#call, undefined, { ...options, ...left });
  }

  #publish(event: AgentEvent): void {
    if (event.type === "turn.start" && this.#spared !== "") return;
    if (event.type === "state") {
      if (event.value === this.#state) return;
      this.#state = event.value;
    }
    if (event.type === "turn.end") this.#call = undefined;
    const numbered = { ...event, n: ++this.#n };
    for (const listener of this.#listeners) {
      try {
        listener(numbered);
      } catch {
        // as with any agent: a listener harms nobody
      }
    }
  }
}

/** What `agentchart` means in the resume mode: every agent is killed and restored between its steps. */
export function createAgent<Ctx = unknown>(config: AgentConfig<Ctx>): Agent<Ctx> {
  const title = expect.getState().currentTestName?.split(" > ").at(-1) ?? "";
  if (Object.hasOwn(NOT_RESUMED, title)) return createBare(config);
  const resumed = new Resumed(config as unknown as AgentConfig<never>);
  const own = {
    call: resumed.call.bind(resumed),
    stream: resumed.stream.bind(resumed),
    subscribe: resumed.subscribe.bind(resumed),
    addHook: resumed.addHook.bind(resumed),
    removeHook: resumed.removeHook.bind(resumed),
  };
  return new Proxy(own as unknown as Agent<Ctx>, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(resumed.inner, key, resumed.inner);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => resumed.tell((agent) => (Reflect.get(agent, key, agent) as Function).apply(agent, args));
    },
  });
}
