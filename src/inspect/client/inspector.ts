// src/inspect/client observes the agents of a process, reports them to a hub, and executes the hub's commands.
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { InspectionEvent } from "xstate";
import type { Agent, AnyAgent } from "../../agent/types.ts";
import type { AgentConfig, AnyAgentConfig, AgentWatcher } from "../../agent/options/agent-config.ts";
import { stepsOf } from "../../agent/steps.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { refused } from "../protocol/command-outcome.ts";
import { parseAddress } from "../../core/base/inspect-address.ts";
import { findHub } from "../protocol/hub-address.ts";
import { executeCommand } from "./execute-command.ts";
import { commandIdOf, readCommand } from "../protocol/command-schema.ts";
import { guarded } from "../../core/base/guarded.ts";
import type { Json } from "../../core/base/json.ts";
import { ActorSystems } from "./actor-systems.ts";
import { HubConnection } from "./hub-connection.ts";
import { historySchema, type HistoryLimits } from "./history.ts";
import type { Ack } from "../protocol/commands.ts";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import { RunSender } from "./run-sender.ts";
import type { WorkerInfo } from "./reported-run.ts";
import { WatchedRun } from "./watched-run.ts";

/** Options of {@link inspector}. */
export type InspectorOptions = {
  /**
   * The address of the hub, such as "http://127.0.0.1:4000", optionally with `#w=TOKEN`. Default: the address
   * that `agentchart inspect` writes to `~/.agentchart/inspect.json`, even if it is started later.
   */
  readonly url?: string | undefined;
  /**
   * The token for workers. Default: `#w=` of `url`, the environment variable AGENTCHART_INSPECT_TOKEN, or the
   * address file.
   */
  readonly token?: string | undefined;
  /** The directory that contains `.agentchart/inspect.json`. Default: the user's home directory. */
  readonly home?: string | undefined;
  /** The bounds of the delay before the next attempt to connect, ms. Default [500, 10000]. */
  readonly retryMs?: readonly [min: number, max: number] | undefined;
  /** The amount of each run that is retained for a hub that connects later. Default of an actor of another system: 5,000 steps and
   *  2,000,000 bytes. */
  readonly keep?: HistoryLimits | undefined;
  /** Redacts what is reported of the machines of other systems: contexts, events and errors. What it throws hides the value. Default:
   *  only values whose keys are named like secrets are hidden. */
  readonly redact?: ((value: Json) => Json) | undefined;
};

/** The schema of {@link InspectorOptions}. */
export const inspectorSchema = s.lazily(() =>
  s.options<InspectorOptions>({
    url: s.optional(s.nonEmpty("an address, such as http://127.0.0.1:4000")),
    token: s.optional(s.secret()),
    home: s.optional(s.nonEmpty("the path of a directory")),
    retryMs: s.optional(s.value(isRange, "[min, max]: two numbers above 0, the smaller one first")),
    keep: s.optional(historySchema()),
    redact: s.optional(s.func()),
  }),
);

const isRange = (value: unknown): boolean => {
  const [min, max, ...more] = Array.isArray(value) ? (value as readonly unknown[]) : [];
  return typeof min === "number" && typeof max === "number" && 0 < min && min <= max && more.length === 0;
};

/** The connection of the agents of this process to the inspector. */
export interface AgentInspector extends AgentWatcher {
  /**
   * Reports an agent from now on; `createAgent({ inspect })` reports it from the start. Without its `config`
   * the agent can neither be forked nor be resumed after it was closed.
   */
  watch(agent: AnyAgent, config?: AnyAgentConfig, position?: () => number): ReturnType<AgentWatcher["watch"]>;
  /**
   * Observes any system of XState 5, as the `inspect` of its root actor. Each of its actors is shown as a run, agents
   * as agents. What it costs is bounded, and what is left out is said. Never throws.
   */
  readonly inspect: (event: InspectionEvent) => void;
  /** Same as {@link AgentInspector.inspect}: so `inspect: inspector()` is an observer too. */
  readonly next: (event: InspectionEvent) => void;
  /** Sends the remaining steps and disconnects. */
  close(): Promise<void>;
}

/** Interval between updates to the hub, ms. */
const UPDATE_INTERVAL_MS = 33;
/** The time for which a closing agent waits for a connected hub, ms; without a hub it does not wait. */
const FLUSH_TIMEOUT_MS = 1_000;
/** Nothing is sent while more bytes than these are buffered. */
const MAX_BUFFERED_BYTES = 1_000_000;
/** Closed runs that are kept for a hub that connects later. */
const MAX_ENDED_RUNS = 50;
/** Commands whose outcome is kept. */
const MAX_COMMANDS = 1_000;

class HubInspector implements AgentInspector {
  readonly #keep: HistoryLimits | undefined;
  readonly #systems: ActorSystems;
  readonly #worker: WorkerInfo & { readonly id: string };
  readonly #connection: HubConnection;
  readonly #runs = new Map<string, RunSender>();
  readonly #commands = new LRUCache<string, Promise<Ack>>({ max: MAX_COMMANDS });
  readonly #sentCharts = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Something happened since the last flush before the process's exit. */
  #hasChanges = false;
  readonly #beforeExit = (): void => void this.#flushBeforeExit();

  constructor({ url, token, home, retryMs = [500, 10_000], keep, redact }: InspectorOptions) {
    this.#keep = keep;
    this.#systems = new ActorSystems({
      watcher: this,
      added: (actor) => this.#runs.set(actor.runId, new RunSender(actor)),
      changed: (runId) => this.#changed(runId),
      dropped: (runId) => this.#drop(runId),
      keep,
      redact,
    });
    this.#worker = { id: randomUUID(), pid: process.pid, isUp: true, since: Date.now() };
    const address = url === undefined ? {} : parseAddress(url);
    const location = {
      ...address,
      ...(token !== undefined && { token }),
      ...(home !== undefined && { home }),
    };
    this.#connection = new HubConnection({
      find: () => findHub(location),
      hello: (hubToken) => this.#hello(hubToken),
      onMessage: (message) => this.#receive(message),
      retryMs,
    });
    process.on("beforeExit", this.#beforeExit);
  }

  readonly inspect = (event: InspectionEvent): void => this.#systems.observe(event);
  readonly next = this.inspect;

  watch(
    agent: AnyAgent,
    config?: AnyAgentConfig,
    position?: () => number,
  ): ReturnType<AgentWatcher["watch"]> {
    const runId = agent.sessionId;
    // an agent that cannot be reported runs unobserved; its run is kept only once it is attached
    const attach = (): unknown =>
      guarded(() => {
        const known = this.#runs.get(runId)?.run;
        const run =
          known instanceof WatchedRun ? known : new WatchedRun(runId, () => this.#changed(runId), this.#keep);
        run.attach(agent as Agent, config as AgentConfig | undefined, position);
        run.actor = this.#systems.actorOf(runId);
        if (run !== known) this.#runs.set(runId, new RunSender(run));
        this.#changed(runId);
        this.#dropEndedRuns();
      });
    const isPartial = guarded(() => stepsOf(agent).current().context.transcript.from > 0);
    // it was opened before it is watched: its older messages are read first
    const attached = isPartial ? agent.messages().then(attach, () => {}) : attach();
    const flushed = async (): Promise<void> => {
      await attached;
      await this.#flush();
    };
    return { committed: () => this.#changed(runId), flushed };
  }

  async close(): Promise<void> {
    await this.#flush();
    process.off("beforeExit", this.#beforeExit);
    clearTimeout(this.#timer);
    this.#connection.close();
  }

  #changed(runId: string): void {
    const sender = this.#runs.get(runId);
    if (sender) sender.hasUpdates = true;
    this.#hasChanges = true;
    this.#timer ??= setTimeout(() => this.#sendUpdates(), UPDATE_INTERVAL_MS).unref();
  }

  /** Writes steps, and sends them as far as the connection's buffer allows. */
  #sendUpdates(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#systems.sweep();
    for (const [runId, sender] of this.#runs) {
      if (!sender.hasUpdates) continue;
      sender.hasUpdates = false;
      // a run that cannot be reported is skipped
      guarded(() => {
        sender.run.write();
        if (!this.#connection.isReady) sender.run.drain();
        else if (!this.#sendRun(sender)) this.#changed(runId);
      });
    }
  }

  #sendRun(sender: RunSender): boolean {
    const { hash, chart } = sender.run.chart;
    if (!this.#sentCharts.has(hash)) this.#send({ type: "chart", hash, chart });
    this.#sentCharts.add(hash);
    for (const message of sender.messages(
      this.#worker,
      () => this.#connection.bufferedBytes < MAX_BUFFERED_BYTES,
    ))
      this.#connection.send(...message);
    return sender.isUpToDate;
  }

  #send(message: WorkerToHub): void {
    this.#connection.send(JSON.stringify(message));
  }

  #hello(token: string): string {
    const { id, pid } = this.#worker;
    const charts = new Map([...this.#runs.values()].map(({ run: { chart } }) => [chart.hash, chart.chart]));
    this.#sentCharts.clear();
    for (const hash of charts.keys()) this.#sentCharts.add(hash);
    return JSON.stringify({
      type: "hello",
      token,
      proto: PROTOCOL,
      worker: id,
      pid,
      charts: [...charts].map(([hash, chart]) => ({ hash, chart })),
    } satisfies WorkerToHub);
  }

  #receive(message: HubToWorker): void {
    if (message.type === "cmd") this.#command(message.cmd).catch(() => {}); // an outcome that cannot be sent is lost
    if (message.type !== "welcome") return;
    for (const [runId, sender] of this.#runs) {
      sender.resumeAfter(Object.hasOwn(message.have, runId) ? message.have[runId]! : 0);
      sender.hasUpdates = true;
    }
    this.#sendUpdates();
  }

  async #command(value: unknown): Promise<void> {
    const ack = await this.#executeOnce(value);
    this.#sendUpdates(); // the page gets the changes before the acknowledgement
    this.#send({ type: "ack", ack });
  }

  /** Executes a command once per id; a repeated command gets the same answer. */
  #executeOnce(value: unknown): Promise<Ack> {
    const id = commandIdOf(value);
    const known = this.#commands.get(id);
    if (known) return known;
    const read = readCommand(value);
    const run = "command" in read ? this.#runs.get(read.command.runId)?.run : undefined;
    const outcome =
      "problem" in read
        ? Promise.resolve(refused("invalid", read.problem))
        : run instanceof WatchedRun
          ? executeCommand(read.command, run, this.#worker)
          : Promise.resolve(refused("unavailable", "This process does not drive the run."));
    const ack = outcome.then((ended): Ack => ({ id, ...ended }));
    this.#commands.set(id, ack);
    return ack;
  }

  async #flush(): Promise<void> {
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FLUSH_TIMEOUT_MS);
    const flush = async (): Promise<void> => {
      await this.#connection.attempted();
      this.#sendUpdates();
      await this.#connection.drained();
    };
    await Promise.race([flush(), deadline]);
    clearTimeout(timer);
  }

  /** Sends the remaining steps once when the process is about to exit. */
  async #flushBeforeExit(): Promise<void> {
    if (!this.#hasChanges) return;
    this.#hasChanges = false;
    await this.#flush();
  }

  #dropEndedRuns(): void {
    const ended = [...this.#runs].filter(([, { run }]) => run instanceof WatchedRun && run.hasEnded);
    for (const [runId] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_RUNS))) this.#drop(runId);
  }

  #drop(runId: string): void {
    this.#runs.delete(runId);
    this.#send({ type: "gone", runId });
  }
}

/**
 * Creates a connection to the inspector for all agents of this process. It connects whenever a hub is running,
 * never keeps the process alive, and never slows down or fails an agent. Throws `config/invalid` for an invalid
 * address.
 *
 * @example
 * ```ts
 * import { createAgent } from "agentchart";
 * import { inspector } from "agentchart/inspect";
 * import { scriptedModel } from "agentchart/testing";
 *
 * const inspect = inspector(); // finds the hub that `npx agentchart inspect` has started
 * const agent = createAgent({ name: "bot", model: scriptedModel(["Hello!"]), inspect });
 * await agent.call("Hi");
 * await inspect.close();
 * ```
 */
export function inspector(options: InspectorOptions = {}): AgentInspector {
  check(inspectorSchema(), options, "inspector");
  return new HubInspector(options);
}
