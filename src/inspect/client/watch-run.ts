import type { AnyMachineSnapshot, AnyStateMachine } from "xstate";
import type { Agent, AgentConfig, Status } from "../../agent/types.ts";
import type { Transcript } from "../../message/transcript.ts";
import type { Json, JsonObject } from "../../base/json.ts";
import type { Usage } from "../../message/types.ts";
import type { SessionToolkit } from "../../tool/toolkit.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { addUsage } from "../../../machines/agent/updates/usage.ts";
import { AskedEvents } from "./asked-events.ts";
import { activeIds } from "../protocol/chart-index.ts";
import { commandsFor } from "./commands-for.ts";
import { History, type HistoryLimits } from "./history.ts";
import type { CommandType, PendingItem, RunRow } from "../protocol/protocol.ts";
import { Recorder } from "./recorder.ts";
import { StreamQueue } from "./stream-queue.ts";

/** What the hub is to know of a run besides its steps. */
export type RunReport = {
  readonly row: RunRow;
  readonly pending: readonly PendingItem[];
  readonly exceeded?: string;
};

/** This process, as rows name it. */
export type WorkerInfo = NonNullable<RunRow["worker"]>;

type Watched = {
  readonly agent: Agent;
  /** Absent if only the agent was given: then nothing can be started anew from here. */
  readonly config?: AgentConfig;
  readonly recorder: Recorder;
};

/** One session as this process sees it: its agent, and the next one if it is resumed. */
export class WatchedRun {
  readonly runId: string;
  readonly history: History;
  readonly #startedAt = Date.now();
  readonly #changed: () => void;
  readonly #usage = new UsageSum();
  #watched!: Watched;
  #isAlive = false;
  #turn: Promise<unknown> = Promise.resolve();
  stream!: StreamQueue;
  /** Ids of calls that waited for somebody once. */
  readonly asked = new Set<string>();
  /** What could be asked of the run once. */
  readonly offered = new Set<CommandType>();
  /** What commands cause. */
  readonly caused = new AskedEvents();

  constructor(runId: string, changed: () => void, limits?: HistoryLimits) {
    this.runId = runId;
    this.#changed = changed;
    this.history = new History(limits);
  }

  get agent(): Agent {
    return this.#watched.agent;
  }

  get config(): AgentConfig | undefined {
    return this.#watched.config;
  }

  /** True while the agent is open. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** True for one that was closed, and will not be looked at again. */
  get hasEnded(): boolean {
    return this.#watched !== undefined && !this.#isAlive;
  }

  get chart(): Recorder["chart"] {
    return this.#watched.recorder.chart;
  }

  /** Sees what the agent does from now on. */
  follow(agent: Agent, config?: AgentConfig, position: () => number = () => agent.status().seq): void {
    const { actor } = agent;
    const redact = config?.redact as ((value: Json) => Json) | undefined;
    const recorder = new Recorder({
      machine: (actor as unknown as { readonly logic: AnyStateMachine }).logic,
      history: this.history,
      position,
      isAskedFor: (event) => this.caused.take(event),
      ...(redact && { redact }),
    });
    this.#watched = { agent, recorder, ...(config && { config }) };
    this.#isAlive = true;
    this.stream = new StreamQueue(this.runId, redact);
    const { stream } = this;
    recorder.begin(actor.getSnapshot() as AnyMachineSnapshot);
    const { sessionId } = actor;
    const inspection = actor.system.inspect({
      next: (event) => {
        if (event.type !== "@xstate.microstep" || event.actorRef.sessionId !== sessionId) return;
        recorder.see(event);
        this.#changed();
      },
    });
    const unsubscribe = agent.subscribe(
      (event) => {
        stream.take(event);
        // at the end of a turn the journal has grown since the last step
        if (!stream.isEmpty || event.type === "turn.end") this.#changed();
      },
      { types: ["block.delta", "tool.delta", "turn.end"] },
    );
    const end = (): void => {
      inspection.unsubscribe();
      unsubscribe();
      if (this.#watched.agent === agent) this.#isAlive = false;
      this.#changed();
    };
    actor.subscribe({ complete: end, error: end });
    this.#changed();
  }

  /** Turns what was seen into steps. */
  write(): void {
    this.#watched.recorder.write();
  }

  report(worker: WorkerInfo): RunReport {
    const { agent, config, recorder } = this.#watched;
    const snapshot = agent.actor.getSnapshot() as AnyMachineSnapshot;
    const context = snapshot.context as AgentContext;
    const status = agent.status();
    const exceeded = status.phase === "suspended" ? (context.progress.exceeded ?? undefined) : undefined;
    const pending = this.#pending(status);
    const { seq, phase, reason, waitsFor } = status;
    const can = commandsFor({
      phase,
      pending,
      isAlive: this.#isAlive,
      isExceeded: exceeded !== undefined,
      hasConfig: config !== undefined,
      hasStore: config?.store !== undefined,
      takesText: config?.onTextWhilePending === "cancelPending" || config?.onTextWhilePending === "queue",
    });
    for (const type of can) this.offered.add(type);
    const forkedFrom = config?.meta?.["forkedFrom"];
    const forkedAt = config?.meta?.["forkedAt"];
    return {
      row: {
        runId: this.runId,
        agent: agent.name,
        chart: recorder.chart.hash,
        source: "live",
        ...(this.#isAlive && { worker }),
        phase,
        waitsFor,
        ...(reason && { reason }),
        state: innermost(activeIds(snapshot._nodes)),
        startedAt: this.#startedAt,
        updatedAt: Math.max(this.#startedAt, context.at),
        steps: this.history.last,
        ...(config?.store && { seq }),
        usage: this.#usage.of(context.transcript),
        pending: pending.length,
        ...(typeof forkedFrom === "string" && {
          forkOf: { runId: forkedFrom, seq: typeof forkedAt === "number" ? forkedAt : 0 },
        }),
        ...(phase !== "running" && { leaf: `${worker.id}.${this.history.last}` }),
        can,
      },
      pending,
      ...(exceeded && { exceeded }),
    };
  }

  /** Does one thing after the other, so that each sees what the one before has done. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /** What the arguments of a tool must be like; undefined for a tool that is not there. */
  inputSchemaOf(tool: string): JsonObject | undefined {
    const toolkit = this.agent.toolkit as unknown as SessionToolkit;
    return toolkit.specs().find(({ name }) => name === tool)?.inputSchema;
  }

  #pending({ pending }: Status): readonly PendingItem[] {
    return pending.map((call) => {
      this.asked.add(call.callId);
      const inputSchema = this.inputSchemaOf(call.name);
      const { argsHash, callId, ...shown } = call;
      return {
        ...(this.#watched.recorder.show({ ...shown, ...(inputSchema && { inputSchema }) }) as JsonObject),
        argsHash,
        callId,
      } as unknown as PendingItem;
    });
  }
}

/** The innermost active state, without the root. */
export function innermost(active: readonly string[]): string {
  const root = active[0] ?? "";
  return (active.at(-1) ?? "").slice(root.length + 1);
}

/** Tokens and costs of all messages of a transcript that mostly grows at its end. */
class UsageSum {
  #transcript: Transcript | undefined;
  #usage: Usage = {};

  of(transcript: Transcript): Usage {
    const before = this.#transcript;
    if (before === transcript) return this.#usage;
    this.#transcript = transcript;
    const same = before?.commonPrefix(transcript) ?? 0;
    const grows = before !== undefined && same === before.length;
    const added = transcript.slice(grows ? same : 0);
    this.#usage = added.reduce((sum, { usage }) => addUsage(sum, usage), grows ? this.#usage : {});
    return this.#usage;
  }
}
