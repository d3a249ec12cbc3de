import { setTimeout as sleep } from "node:timers/promises";
import { AgentThread, type AgentThreadOptions, type LoadedAgents } from "./agent-thread.ts";
import { FileWatch } from "./file-watch.ts";
import { versionOf } from "./loaded-files.ts";
import type { LogRecord } from "./thread-messages.ts";

/** The time after a crash until the agents are loaded again, ms. */
const RESTART_MS = 1_000;

export type AgentsHostOptions = {
  readonly thread: AgentThreadOptions;
  /** More files whose change loads the agents again. */
  readonly files: readonly string[];
  /** The maximum time that turns may take to reach their next commit point when their thread is replaced, ms. */
  readonly drainMs: number;
  /** New agents take over; `changed`: the files that were written, none after a crash. */
  readonly onLoaded: (agents: LoadedAgents, changed: readonly string[]) => void;
  /** The changed agents cannot be loaded. `goOn`: those before them do so; they do not after a crash. */
  readonly onBroken: (error: unknown, goOn: boolean) => void;
  /** The agents have ended by themselves; they are loaded again soon. */
  readonly onCrash: (message: string) => void;
  readonly onLog: (record: LogRecord) => void;
};

/**
 * Keeps the agents of a file running, and replaces them when one of the files changes that they were loaded from. New agents take
 * sessions from the moment on that they are loaded; those before them take none from then on, and let go of each session at the next
 * commit point of its turn, where the new ones go on.
 */
export class AgentsHost {
  readonly #options: AgentsHostOptions;
  readonly #watch = new FileWatch((paths) => this.#reload(paths));
  readonly #draining = new Set<Promise<void>>();
  #current: AgentThread | undefined;
  #next: AgentThread | undefined;
  #changed: string[] | undefined;
  #hasStarted = false;
  #loading: Promise<void> | undefined;
  readonly #closing = new AbortController();
  #closed: Promise<void> | undefined;

  constructor(options: AgentsHostOptions) {
    this.#options = options;
  }

  /** Loads the agents for the first time, again for each file that is written meanwhile. Rejects with `config/invalid` if that is not
   *  possible. */
  async start(): Promise<LoadedAgents> {
    for (;;) {
      const loaded = await this.#load().catch((error: unknown) => {
        if (this.#changed === undefined) throw error;
      });
      if (loaded && this.#changed === undefined) {
        this.#current = loaded.thread;
        this.#hasStarted = true;
        return loaded.agents;
      }
      this.#changed = undefined;
      await loaded?.thread.terminate();
    }
  }

  /** Drains all threads. */
  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#closing.abort();
    this.#watch.close();
    await this.#next?.terminate();
    await this.#loading;
    const { drainMs } = this.#options;
    await Promise.all([this.#current?.close(drainMs), ...this.#draining]);
  }

  async #load(): Promise<{ readonly thread: AgentThread; readonly agents: LoadedAgents }> {
    const { files, onLog } = this.#options;
    const loaded = new Set(files);
    for (const path of files) this.#watch.add({ path, version: versionOf(path) });
    const thread = new AgentThread(this.#options.thread, {
      onFile: (file) => {
        loaded.add(file.path);
        this.#watch.add(file);
      },
      onLog,
      onCrash: (message) => void this.#restart(thread, message),
    });
    this.#next = thread;
    try {
      const agents = await thread.ready;
      this.#watch.keep(loaded);
      return { thread, agents };
    } finally {
      this.#next = undefined;
    }
  }

  #reload(paths: readonly string[]): void {
    this.#changed = [...(this.#changed ?? []), ...paths];
    void this.#next?.terminate(); // what it loads is out of date, and may never end
    if (this.#hasStarted) this.#loading ??= this.#replace().finally(() => (this.#loading = undefined));
  }

  async #replace(): Promise<void> {
    const { onLoaded, onBroken, drainMs } = this.#options;
    while (this.#changed && !this.#closing.signal.aborted) {
      const changed = [...new Set(this.#changed)];
      this.#changed = undefined;
      try {
        const { thread, agents } = await this.#load();
        const before = this.#current;
        this.#current = thread;
        onLoaded(agents, changed);
        if (before) this.#drain(before.close(drainMs));
      } catch (error) {
        if (!this.#changed && !this.#closing.signal.aborted) onBroken(error, this.#current !== undefined);
      }
    }
  }

  #drain(closed: Promise<void>): void {
    const draining = closed.finally(() => this.#draining.delete(draining));
    this.#draining.add(draining);
  }

  async #restart(thread: AgentThread, message: string): Promise<void> {
    if (this.#current !== thread) return;
    this.#current = undefined;
    this.#options.onCrash(message);
    const { signal } = this.#closing;
    await sleep(RESTART_MS, undefined, { signal }).catch(() => {});
    if (!this.#current && !signal.aborted) this.#reload([]);
  }
}
