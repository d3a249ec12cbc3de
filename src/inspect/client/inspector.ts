// src/inspect/client observes the agents of a process, reports them to a hub, and executes the hub's commands.
import { randomUUID } from "node:crypto";
import type { InspectionEvent } from "xstate";
import type { Agent, AnyAgent } from "../../agent/types.ts";
import type { AnyAgentConfig, AgentWatcher } from "../../agent/options/agent-config.ts";
import { stepsOf } from "../../agent/steps.ts";
import * as s from "../../core/base/option-schema.ts";
import { check } from "../../core/base/options.ts";
import { guarded } from "../../core/base/guarded.ts";
import { parseAddress } from "../../core/base/inspect-address.ts";
import type { Json } from "../../core/base/json.ts";
import type { Ack, RunCommand } from "../protocol/commands.ts";
import { findHub } from "../protocol/hub-address.ts";
import { ActorSystems } from "./actor-systems.ts";
import { HeardAgent } from "./heard-agent.ts";
import { retrySchema } from "./hub-connection.ts";
import { historySchema, type HistoryLimits } from "./history.ts";
import { openNodeSocket } from "./node-socket.ts";
import type { WorkerInfo } from "./reported-run.ts";
import { ACTORS_INTERVAL_MS, Reporter } from "./reporter.ts";
import type { WatchedAgents } from "./watched-agents.ts";

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
    retryMs: s.optional(retrySchema()),
    keep: s.optional(historySchema()),
    redact: s.optional(s.func()),
  }),
);

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

class HubInspector implements AgentInspector {
  readonly #keep: HistoryLimits | undefined;
  readonly #systems: ActorSystems;
  readonly #worker: WorkerInfo;
  readonly #reporter: Reporter;
  /** The part that reports agents, once it is loaded. */
  #agents: WatchedAgents | undefined;
  #loading: Promise<WatchedAgents> | undefined;
  readonly #beforeExit = (): void => void this.#flushBeforeExit();

  constructor({ url, token, home, retryMs = [500, 10_000], keep, redact }: InspectorOptions) {
    this.#keep = keep;
    this.#systems = new ActorSystems({
      watcher: this,
      takesCommands: true,
      added: (actor) => this.#reporter.add(actor),
      changed: (runId) => this.#reporter.changed(runId, ACTORS_INTERVAL_MS),
      dropped: (runId) => this.#reporter.drop(runId),
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
    this.#reporter = new Reporter({
      worker: this.#worker,
      find: () => findHub(location),
      open: openNodeSocket,
      beforeUpdate: () => this.#systems.sweep(),
      onCommand: (command) => void this.#command(command).catch(() => {}), // an outcome that cannot be sent is lost
      onClose: () => this.#systems.release(),
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
    // an agent that cannot be reported runs unobserved
    const hear = async (): Promise<void> => {
      const heard = guarded(() => new HeardAgent(agent as Agent, position));
      try {
        if (heard) (this.#agents ?? (await this.#load())).attach(heard, config);
      } catch {
        heard?.stop();
      }
    };
    const isPartial = guarded(() => stepsOf(agent).current().context.transcript.from > 0);
    // it was opened before it is watched: its older messages are read first
    const attached = isPartial ? agent.messages().then(hear, () => {}) : hear();
    const flushed = async (): Promise<void> => {
      await attached;
      await this.#reporter.flush();
    };
    return { committed: () => this.#reporter.changed(agent.sessionId), flushed };
  }

  async close(): Promise<void> {
    await this.#flush();
    process.off("beforeExit", this.#beforeExit);
    this.#systems.release();
    this.#reporter.close();
  }

  /** Loads the part that reports agents. A process without an agent never loads it. */
  #load(): Promise<WatchedAgents> {
    return (this.#loading ??= import("./watched-agents.ts").then(
      (loaded) =>
        (this.#agents = new loaded.WatchedAgents({
          reporter: this.#reporter,
          worker: this.#worker,
          keep: this.#keep,
          actorOf: (sessionId) => this.#systems.actorOf(sessionId),
        })),
    ));
  }

  async #command(command: RunCommand): Promise<void> {
    const ack = this.#ofActor(command) ?? (await (await this.#load()).command(command));
    this.#reporter.update(); // the page gets the changes before the acknowledgement
    this.#reporter.send({ type: "ack", ack });
  }

  /** The answer to a command to an actor of XState; undefined if it is to a session of an agent, or is not a command. */
  #ofActor(command: RunCommand): Ack | undefined {
    const { id } = command;
    const done = this.#systems.command(command);
    if (done === undefined) return undefined;
    if (done === "done") return { id, ok: true };
    return { id, ok: false, error: { code: "invalid", message: done.problem } };
  }

  async #flush(): Promise<void> {
    await this.#loading?.catch(() => {}); // then no agent is reported
    await this.#reporter.flush();
  }

  /** Sends the remaining steps once when the process is about to exit. */
  async #flushBeforeExit(): Promise<void> {
    if (!this.#reporter.hasChanges) return;
    this.#reporter.hasChanges = false;
    await this.#flush();
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
