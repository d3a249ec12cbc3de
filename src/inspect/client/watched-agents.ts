import { LRUCache } from "lru-cache";
import type { AnyAgentConfig, AgentConfig } from "../../agent/options/agent-config.ts";
import { refused } from "../protocol/command-outcome.ts";
import { commandIdOf, readCommand } from "../protocol/command-schema.ts";
import type { Ack, RunCommand } from "../protocol/commands.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { executeCommand } from "./execute-command.ts";
import type { HeardAgent } from "./heard-agent.ts";
import type { HistoryLimits } from "./history.ts";
import type { WorkerInfo } from "./reported-run.ts";
import type { Reporter } from "./reporter.ts";
import { WatchedRun } from "./watched-run.ts";

/** Closed runs that are retained for a hub that connects later. */
const MAX_ENDED_RUNS = 50;
/** Commands whose outcome is retained. */
const MAX_COMMANDS = 1_000;

type WatchedAgentsOptions = {
  readonly reporter: Reporter;
  readonly worker: WorkerInfo;
  readonly keep: HistoryLimits | undefined;
  /** Returns the actor of another system that the agent of a session is. */
  readonly actorOf: (sessionId: string) => RunRow["parent"];
};

/** The agents of a process, as runs that take commands. It is loaded when an agent is seen. */
export class WatchedAgents {
  readonly #options: WatchedAgentsOptions;
  readonly #commands = new LRUCache<string, Promise<Ack>>({ max: MAX_COMMANDS });

  constructor(options: WatchedAgentsOptions) {
    this.#options = options;
  }

  /** Reports an agent from the moment on at which it was heard first. Its run is recorded only once it is attached. */
  attach(heard: HeardAgent, config?: AnyAgentConfig): void {
    const { reporter, keep, actorOf } = this.#options;
    const { agent } = heard;
    const runId = agent.sessionId;
    const known = reporter.runOf(runId);
    const run =
      known instanceof WatchedRun ? known : new WatchedRun(runId, () => reporter.changed(runId), keep);
    run.attach(agent, config as AgentConfig | undefined, heard);
    run.actor = actorOf(runId);
    if (run === known) reporter.changed(runId);
    else reporter.add(run);
    this.#dropEndedRuns();
  }

  /** Executes a command once per id; a repeated command gets the same answer. */
  command(value: RunCommand): Promise<Ack> {
    const id = commandIdOf(value);
    const known = this.#commands.get(id);
    if (known) return known;
    const read = readCommand(value);
    const run = "command" in read ? this.#options.reporter.runOf(read.command.runId) : undefined;
    const outcome =
      "problem" in read
        ? Promise.resolve(refused("invalid", read.problem))
        : run instanceof WatchedRun
          ? executeCommand(read.command, run, this.#options.worker)
          : Promise.resolve(refused("unavailable", "This process does not drive the run."));
    const ack = outcome.then((ended): Ack => ({ id, ...ended }));
    this.#commands.set(id, ack);
    return ack;
  }

  #dropEndedRuns(): void {
    const { reporter } = this.#options;
    const ended = reporter.runs().filter((run) => run instanceof WatchedRun && run.hasEnded);
    for (const { runId } of ended.slice(0, Math.max(0, ended.length - MAX_ENDED_RUNS))) reporter.drop(runId);
  }
}
