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

/** Where an agent is killed while a turn runs. Its services wait a microtask before they begin, so at this moment the
 *  model was not asked, the hooks of the state have not run, and no tool has started. */
const KILLED_IN = [
  "reasoning.preHooks",
  "summarizing.preHooks",
  "acting.preHooks",
  "acting.reviewing",
  "acting.postHooks",
];

/** Also where an agent is killed; but then the pre-hooks run again, and the request that was about to be made counts as
 *  made. */
const KILLED_IN_CALLING = ["reasoning.calling", "summarizing.calling"];

/** Files and tests of the agent suite that are about what happens twice if a process ends in `calling`, and why. */
export const NOT_KILLED_IN_CALLING: { readonly [fileOrTitle: string]: string } = {
  "golden-traces.test.ts": "writes down every run of a pre-hook",
  "budget.test.ts": "counts requests: one that may have been made counts",
  "reports the reply with counters of the turn": "counts requests",
  "retries before the first part is delivered, with the attempts counted":
    "counts attempts: one that may have been made counts",
};

/** A hook before all others, so that the states of the pre-hooks are always entered. */
const FIRST: Hook<never> = {
  name: "first",
  priority: Number.NEGATIVE_INFINITY,
  preReasoning: () => {},
  preSummary: () => {},
  preActing: () => {},
};

/** How often an agent of this process was killed and restored, by the state it was in. */
export const restores = new Map<string, number>();

type Options = CallOptions<undefined, never>;
type Call = {
  readonly options: Options;
  readonly startedAt: number;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
};

/** A state value as one path, without the `running` at its end. */
function pathOf(value: unknown): string {
  if (typeof value === "string") return value;
  const [state, inner] = Object.entries(value as object)[0]!;
  return inner === "running" ? state : `${state}.${pathOf(inner)}`;
}

/**
 * An agent that does not survive: in each of the states above, and whenever it comes to rest, it is silenced, its
 * snapshot goes through JSON, and another agent with the same configuration goes on. Callers and listeners see one agent.
 */
class Resumed {
  readonly #config: AgentConfig<never>;
  readonly #killedIn: readonly string[];
  readonly #listeners = new Set<(event: AgentEvent) => void>();
  #inner: Agent<never>;
  #hooks: readonly Hook<never>[];
  #call: Call | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #silence: () => void = () => {};
  #state = "";
  /** Where the one before was killed: as far as there, the present agent may go. */
  #spared = "";
  /** Something was said to the present agent since it last moved: it may not be lost. */
  #isTold = false;
  #n = 0;

  constructor(config: AgentConfig<never>, killedIn: readonly string[]) {
    this.#config = config;
    this.#killedIn = killedIn;
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
    const { whenBusy, ...own } = options;
    if (whenBusy !== "queue") return this.#begin(input, own);
    const mine = this.#last.then(() => this.#begin(input, own));
    this.#last = mine.catch(() => {});
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
    const { promise, resolve, reject } = Promise.withResolvers<Reply>();
    this.#call = { options, startedAt: Date.now(), resolve, reject };
    this.#spared = "";
    this.#run(this.#call, input, options);
    this.#last = promise.catch(() => {});
    return promise;
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
      const state = pathOf(snapshot.value);
      const isTold = this.#isTold;
      this.#isTold = false;
      if (this.#spared !== "") {
        if (state === this.#spared) this.#spared = "";
      } else if (this.#call && !isTold && this.#killedIn.includes(state)) this.#replace(state);
    });
    return unsubscribe;
  }

  #replace(state: string): void {
    const old = this.#inner;
    const snapshot = JSON.parse(JSON.stringify(old.snapshot())) as Snapshot;
    this.#silence();
    old.actor.stop();
    old.actor.send = () => {}; // its timers may still go off
    restores.set(state, (restores.get(state) ?? 0) + 1);
    this.#spared = state;
    const { messages: _, ...config } = this.#config;
    this.#inner = createBare({ ...config, hooks: this.#hooks, snapshot });
    this.#follow();
    if (!this.#call) return;
    const { options, startedAt } = this.#call;
    const left =
      options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs - (Date.now() - startedAt) };
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
  const { currentTestName = "", testPath = "" } = expect.getState();
  const names = [testPath.split("/").at(-1)!, currentTestName.split(" > ").at(-1)!];
  const isSpared = names.some((name) => Object.hasOwn(NOT_KILLED_IN_CALLING, name));
  const killedIn = isSpared ? KILLED_IN : [...KILLED_IN, ...KILLED_IN_CALLING];
  const { hooks = [], ...own } = config as unknown as AgentConfig<never>;
  return facadeOf(new Resumed({ ...own, hooks: [FIRST, ...hooks] }, killedIn)) as unknown as Agent<Ctx>;
}

/** Everything but what is taken over by `resumed` goes to the agent that lives now. */
function facadeOf(resumed: Resumed): Agent<never> {
  const own = {
    call: resumed.call.bind(resumed),
    stream: resumed.stream.bind(resumed),
    subscribe: resumed.subscribe.bind(resumed),
    addHook: resumed.addHook.bind(resumed),
    removeHook: resumed.removeHook.bind(resumed),
  };
  return new Proxy(own as unknown as Agent<never>, {
    get(_, key) {
      if (Object.hasOwn(own, key)) return own[key as keyof typeof own];
      const value: unknown = Reflect.get(resumed.inner, key, resumed.inner);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) =>
        resumed.tell((agent) => (Reflect.get(agent, key, agent) as Function).apply(agent, args));
    },
  });
}
