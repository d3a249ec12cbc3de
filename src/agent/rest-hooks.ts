import { errorInfo } from "../core/base/error.ts";
import type { AnyHook, AnyHookEvent } from "../core/hook/types.ts";
import type { Msg } from "../core/message/types.ts";
import { revisionOf } from "../core/tool/stored-slots.ts";
import type { AgentContext } from "../../machines/agent/context.ts";
import type { AgentCommand } from "../../machines/agent/events.ts";
import { causedBy } from "./steps.ts";
import { callHook, HookSlots } from "./services/call-hook.ts";
import type { Host } from "./services/host.ts";

/** The part of a resting session that its hooks need. */
type RestingSession = {
  readonly context: AgentContext;
  command(event: AgentCommand): Promise<void>;
};

type RestHost = Pick<Host, "hooks" | "hookEvent" | "emit" | "now" | "commit">;

/** A session as it came to rest. */
type Rest = Pick<AgentContext, "transcript" | "slots"> & { readonly event: AnyHookEvent };

const listens = ({ onRest }: AnyHook): boolean => onRest !== undefined;

/** Runs the hooks at `onRest`, outside of the chart and one run after the other: nothing of a turn waits for them. */
export class RestHooks {
  readonly #session: RestingSession;
  readonly #host: RestHost;
  readonly #end = new AbortController();
  #hasEnded = false;
  /** The newest rest whose hooks have not begun. */
  #next: Rest | undefined;
  #running: Promise<void> | undefined;

  constructor(session: RestingSession, host: RestHost) {
    this.#session = session;
    this.#host = host;
  }

  /** The session rests, and has hooks for it: a turn has ended, or a session that had turns was opened. */
  begin(): void {
    const host = this.#host;
    const { progress, transcript, slots } = this.#session.context;
    if (this.#hasEnded || progress.turn === 0) return;
    this.#next = { transcript, slots, event: host.hookEvent(progress, this.#end.signal) };
    this.#running ??= this.#run();
  }

  /** True while a hook runs, or is about to. */
  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Resolves when no hook runs. */
  async ended(): Promise<void> {
    await this.#running;
  }

  /** The session ends in this process: what runs is aborted, and its changes are dropped. */
  stop(): void {
    this.#hasEnded = true;
    this.#end.abort();
    this.#next = undefined;
  }

  async #run(): Promise<void> {
    await Promise.resolve(); // the step that led to rest is taken as a whole first
    for (let rest = this.#take(); rest; rest = this.#take()) await this.#runHooks(rest);
    this.#running = undefined;
  }

  #take(): Rest | undefined {
    const rest = this.#next;
    this.#next = undefined;
    return rest;
  }

  async #runHooks({ transcript, slots: before, event }: Rest): Promise<void> {
    const host = this.#host;
    await host.commit().catch(() => {}); // else they could act on a turn that ends otherwise after a crash
    if (this.#hasEnded) return;
    const slots = new HookSlots(before);
    let history: readonly Msg[] | undefined;
    for (const hook of host.hooks().filter(listens)) {
      try {
        await transcript.load();
        if (this.#hasEnded) return;
        history ??= Object.freeze(transcript.slice());
        await causedBy("hook", () => callHook({ event, slots }, hook, "onRest", { history }));
      } catch (error) {
        host.emit({ type: "hook.failed", hook: hook.name, error: errorInfo(error, "hook/failed") });
      }
    }
    for (const [name, { value, version }] of Object.entries(slots.written ?? {})) {
      if (this.#hasEnded) return;
      const command = { type: "slot.write", at: host.now(), name, value, version } as const;
      await causedBy("hook", () =>
        this.#session.command({ ...command, seen: revisionOf(before, name) }),
      ).catch(() => {}); // what was written meanwhile stays
    }
    if (slots.written) await host.commit().catch(() => {}); // an error reaches those who wait for the journal
  }
}
