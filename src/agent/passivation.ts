import { AgentError } from "../base/error.ts";
import { LONGEST_DELAY_MS } from "../base/longest-delay.ts";
import { EventEmitter, type EventPlace } from "../event/emitter.ts";
import type { AgentEventBody } from "../event/types.ts";
import type { Hook } from "../hook/types.ts";
import type { SessionToolkit } from "../tool/toolkit.ts";
import type { ClassMember } from "./class-hooks.ts";
import { leave, restsAndIsSaved } from "./ending.ts";
import { LiveSession } from "./live-session.ts";
import { printedEvent } from "./services/printed.ts";
import { resumableAt } from "./reply.ts";
import type { KeptParts, Surroundings } from "./runtime-parts.ts";
import { busy } from "./turns.ts";
import type { Agent } from "./types.ts";
import type { AgentConfig } from "./agent-config.ts";

/** The agent of a session that may be passive. */
export type PassiveAgent = Agent<never> & {
  /** True while calls are pending. */
  readonly hasCalls: boolean;
};

/** The session of an agent, which leaves this process while nobody needs it and comes back when somebody does. */
export class Passivation implements ClassMember {
  readonly #config: AgentConfig<never>;
  readonly #around: Surroundings;
  readonly #agent: PassiveAgent;
  readonly #kept: KeptParts = { events: new EventEmitter(this) };
  /** Undefined while the session is passive. */
  #live: LiveSession | undefined;
  #leaving: Promise<void> | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(config: AgentConfig<never>, around: Surroundings, agent: PassiveAgent) {
    this.#config = config;
    this.#around = around;
    this.#agent = agent;
  }

  /** The session; a new runtime, which is not open yet, if it was passive. */
  get here(): LiveSession {
    return this.#live ?? this.revive();
  }

  /** Where events are that happen now. */
  get position(): EventPlace {
    return this.here.runtime.position;
  }

  /** An event as listeners get it. */
  shown(body: AgentEventBody): AgentEventBody {
    const { host, context } = this.here.runtime;
    return printedEvent(host, context.progress, body);
  }

  /** Settles when the lease of the former runtime is given back; undefined if there is nothing to wait for. */
  get leaving(): Promise<void> | undefined {
    return this.#leaving;
  }

  /** The tools, which the caller may change from now on: the next runtime has the same object. */
  keepToolkit(): SessionToolkit {
    return (this.#kept.toolkit = this.here.runtime.equipment.toolkit);
  }

  /** True once the agent has ended for good, and not only its runtime. */
  get isOver(): boolean {
    return this.#live?.runtime.isStopped ?? false;
  }

  /** Adds a hook and its tools, also for later runtimes. */
  addHook(hook: Hook<never>): void {
    this.keepToolkit().addAll(hook.tools ?? [], hook.writes);
    this.#setHooks((hooks) => [...hooks, hook]);
  }

  /** Removes some hooks and their tools, also for later runtimes. Returns false if there are none. */
  removeHooks(isMeant: (hook: Hook<never>) => boolean): boolean {
    const removed = this.here.runtime.equipment.hooks.all.filter(isMeant);
    const toolkit = this.keepToolkit();
    for (const tool of removed.flatMap((hook) => hook.tools ?? [])) toolkit.removeOwn(tool);
    this.#setHooks((hooks) => hooks.filter((hook) => !removed.includes(hook)));
    return removed.length > 0;
  }

  dropHook(hook: Hook<never>): void {
    this.removeHooks((each) => each === hook);
  }

  #setHooks(change: (hooks: readonly Hook<never>[]) => readonly Hook<never>[]): void {
    const { runtime } = this.here;
    runtime.setHooks(change);
    this.#kept.hooks = runtime.equipment.hooks.all;
  }

  /** Makes a runtime, and lets inspectors watch it. */
  revive(): LiveSession {
    const live = new LiveSession(this.#config, this.#kept, this.#around, this);
    this.#live = live;
    live.watch(this.#agent, this.#config);
    return live;
  }

  /** See {@link Agent.passivate}. */
  async passivate(): Promise<void> {
    if (!this.#config.store)
      throw new AgentError("config/invalid", "passivate: the agent has no store that keeps its session.");
    const live = this.#live;
    if (!live?.runtime.isOpen) return this.#leaving;
    this.#assertIdle(live);
    await restsAndIsSaved(live.runtime);
    if (this.#live !== live || live.runtime.isStopped) return;
    this.#assertIdle(live);
    this.#live = undefined;
    this.#kept.schema = live.runtime.equipment.schema;
    this.#leaving = leave(live.runtime).finally(() => (this.#leaving = undefined));
    await this.#leaving;
    await live.reported();
  }

  #assertIdle({ turns }: LiveSession): void {
    if (this.#agent.hasCalls) throw busy();
    turns.assertIdle();
  }

  /** Begins to count the time after which the session is passivated. */
  rested(): void {
    const { store, sessionOptions: { idleMs } = {} } = this.#config;
    const isHeld = Object.keys(this.#around).length > 0; // by a worker or another agent
    if (idleMs === undefined || !store || isHeld) return;
    this.remain();
    this.#idle = setTimeout(() => this.#idleFor(), Math.min(idleMs, LONGEST_DELAY_MS)).unref();
  }

  /** Ends the counting. */
  remain(): void {
    clearTimeout(this.#idle);
  }

  #idleFor(): void {
    const live = this.#live;
    if (!live || live.runtime.isStopped) return;
    const { context } = live.runtime;
    const isSuspended = live.runtime.status().phase === "suspended";
    const goesOn = isSuspended && resumableAt(context) !== undefined; // at a time, without a call
    if (this.#agent.hasCalls || live.turns.isBusy || goesOn) this.rested();
    else this.passivate().catch(() => this.rested());
  }
}
