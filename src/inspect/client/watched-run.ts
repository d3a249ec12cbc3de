import { stepsOf } from "../../agent/steps.ts";
import { phaseOf } from "../../../machines/agent/updates/calls.ts";
import type { Agent, Status } from "../../agent/types.ts";
import type { AgentConfig } from "../../agent/options/agent-config.ts";
import type { Transcript } from "../../core/message/transcript.ts";
import type { Json, JsonObject } from "../../core/base/json.ts";
import { SessionSummary } from "../../agent/status.ts";
import type { TurnsSummary } from "../../session/format.ts";
import type { Usage } from "../../core/message/types.ts";
import type { SessionToolkit } from "../../core/tool/toolkit.ts";
import type { Slot } from "../../core/tool/types.ts";
import { addUsage } from "../../core/message/msg.ts";
import { agentChart } from "../../../machines/agent/known-chart.ts";
import { availableCommands } from "./available-commands.ts";
import { guarded } from "../../core/base/guarded.ts";
import { HeardAgent } from "./heard-agent.ts";
import { History, type HistoryLimits } from "./history.ts";
import type { RunCommandType, PendingItem } from "../protocol/commands.ts";
import type { RunRow } from "../protocol/protocol.ts";
import { Recorder } from "./recorder.ts";
import type { ReportedRun, RunReport, WorkerInfo } from "./reported-run.ts";
import { StreamQueue } from "./stream-queue.ts";
import { relationsOf, titleOf } from "../protocol/run-relations.ts";

type Attachment = {
  readonly agent: Agent;
  /** Absent if only the agent was passed: then no new agent can be created. */
  readonly config?: AgentConfig;
  readonly recorder: Recorder;
};

/** The calls that have waited of which somebody who answers late is told that they were answered. */
const MAX_REQUESTED = 1_000;

/** A session as this process observes it: its agent, and the next agent if the session is resumed. */
export class WatchedRun implements ReportedRun {
  readonly runId: string;
  readonly history: History;
  readonly #attachedAt = Date.now();
  readonly #changed: () => void;
  readonly #usage = new UsageSum();
  #attachment!: Attachment;
  #isOpen = false;
  readonly #about = new SessionSummary();
  #lastWork: Promise<unknown> = Promise.resolve();
  /** The streamed text that waits to be sent. */
  stream!: StreamQueue;
  /** The actor of another system that the agent is. */
  actor: RunRow["parent"];
  /** The ids of the last calls that have waited for a user. */
  readonly requestedCalls = new Set<string>();
  /** The commands that were available at some time. */
  readonly offeredCommands = new Set<RunCommandType>();

  constructor(runId: string, changed: () => void, limits?: HistoryLimits) {
    this.runId = runId;
    this.#changed = changed;
    this.history = new History(limits);
  }

  /** The newest agent of the session. */
  get agent(): Agent {
    return this.#attachment.agent;
  }

  /** The configuration of the newest agent, if it is known. */
  get config(): AgentConfig | undefined {
    return this.#attachment.config;
  }

  /** True while the agent is open. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** True if the agent was closed. */
  get hasEnded(): boolean {
    return this.#attachment !== undefined && !this.#isOpen;
  }

  get chart(): Recorder["chart"] {
    return this.#attachment.recorder.chart;
  }

  /** Observes an agent from the moment on at which it was heard first. */
  attach(agent: Agent, config?: AgentConfig, heard: HeardAgent = new HeardAgent(agent)): void {
    const redact = config?.sessionOptions?.redact as ((value: Json) => Json) | undefined;
    const recorder = new Recorder({
      chart: agentChart(),
      history: this.history,
      position: () => heard.position(),
      ...(redact && { redact }),
    });
    (this.#attachment as Attachment | undefined)?.recorder.write(); // what the agent before has done
    this.#attachment = { agent, recorder, ...(config && { config }) };
    this.#isOpen = true;
    this.stream = new StreamQueue(this.runId, redact);
    const { stream } = this;
    recorder.begin(heard.began);
    heard.tell({
      step: (step) => {
        guarded(() => recorder.record(step));
        this.#changed();
      },
      call: (call) => recorder.recordCall(call),
      event: (event) => {
        stream.push(event);
        // the journal has grown since the last step of a turn
        if (!stream.isEmpty || !event.type.endsWith(".delta")) this.#changed();
      },
      end: () => {
        if (this.#attachment.agent === agent) this.#isOpen = false;
        this.#changed();
      },
    });
    this.#changed();
  }

  /** Resolves to the next agent of the session, which is attached meanwhile. If it cannot be opened, the one before is shown again. */
  async replacedBy(open: () => Promise<Agent>): Promise<Agent> {
    const before = this.#attachment;
    try {
      return await open();
    } catch (error) {
      this.#attachment = before;
      this.#isOpen = false;
      this.#changed();
      throw error;
    }
  }

  /** Takes the streamed text that waits to be sent. */
  drain(): ReturnType<StreamQueue["drain"]> {
    return this.stream.drain();
  }

  /** Writes the recorded microsteps as steps. */
  write(): void {
    this.#attachment.recorder.write();
  }

  /** Reports the current row, the open calls and the exceeded limit. */
  report(worker: WorkerInfo): RunReport {
    const { agent, config, recorder } = this.#attachment;
    const { state, context } = stepsOf(agent).current();
    const status = agent.status();
    const exceeded = status.phase === "suspended" ? (context.progress.exceeded ?? undefined) : undefined;
    const pending = this.#pending(status);
    const { seq, reason, waitsFor } = status;
    // A call that is only saved is not a running turn: its row must not wait for another step.
    const phase = status.phase === "running" ? phaseOf(state) : status.phase;
    const { startedAt = this.#attachedAt, updatedAt = startedAt } = this.history;
    const slots = this.#toolkit.clientSlots;
    const can = availableCommands({
      phase,
      pending,
      isOpen: this.#isOpen,
      config,
      isExceeded: exceeded !== undefined && exceeded !== "breakpoint",
      hasSlots: slots.length > 0,
      canCompact: context.settings.compaction !== null && context.transcript.length > 1,
    });
    for (const type of can) this.offeredCommands.add(type);
    return {
      row: {
        runId: this.runId,
        agent: agent.name,
        chart: recorder.chart.hash,
        source: "live",
        ...(this.#isOpen && { worker }),
        phase,
        waitsFor,
        ...(reason && { reason }),
        ...this.#about.of(context, (about) => this.#attachment.recorder.display(about) as TurnsSummary),
        state,
        startedAt,
        updatedAt: Math.max(startedAt, updatedAt),
        steps: this.history.last,
        ...(config?.store && { seq }),
        usage: this.#usage.of(context.transcript),
        pending: pending.length,
        ...titleOf(config?.meta ?? {}),
        ...relationsOf(config?.meta ?? {}),
        ...(this.actor && { parent: this.actor }),
        ...(phase !== "running" && { leaf: `${worker.id}.${this.history.last}` }),
        can,
        ...(can.includes("setSlot") && { slots }),
      },
      pending,
      ...(exceeded && { exceeded }),
    };
  }

  /** Runs works one after the other, so that each sees the effects of the one before. */
  serialize<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#lastWork.then(work);
    this.#lastWork = result.catch(() => {});
    return result;
  }

  /** Returns the input schema of a tool; undefined for an unknown tool. */
  inputSchemaOf(tool: string): JsonObject | undefined {
    return this.#toolkit.inputSchemaOf(tool);
  }

  /** Resolves to a slot of the agent by its name; undefined if it has none. */
  slotNamed(name: string): Promise<Slot | undefined> {
    return this.#toolkit.writableSlot(name);
  }

  get #toolkit(): SessionToolkit {
    return this.agent.toolkit as unknown as SessionToolkit;
  }

  #pending({ pending }: Status): readonly PendingItem[] {
    return pending.map((call) => {
      this.requestedCalls.add(call.callId);
      if (this.requestedCalls.size > MAX_REQUESTED)
        this.requestedCalls.delete(this.requestedCalls.keys().next().value!);
      const inputSchema = call.path ? undefined : this.inputSchemaOf(call.name);
      const { argsHash, callId, ...rest } = call;
      return {
        ...(this.#attachment.recorder.display({
          ...rest,
          ...(inputSchema && { inputSchema }),
        }) as JsonObject),
        argsHash,
        callId,
      } as unknown as PendingItem;
    });
  }
}

/** Sums the usage of all messages of a transcript, incrementally where it only grew. */
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
