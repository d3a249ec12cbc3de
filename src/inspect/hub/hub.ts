// src/inspect/hub is the inspector's server: it collects runs from processes, stores and files, and serves them to pages.
import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { outcomeOfError, refused, type CommandOutcome } from "../protocol/command-outcome.ts";
import { commandIdOf, readCommand } from "../protocol/command-schema.ts";
import type { Ack, RunCommand } from "../protocol/commands.ts";
import type { HubToPage, StreamDelta } from "../protocol/protocol.ts";
import type { SessionStore } from "../../store/port.ts";
import { LabelReader } from "../labels/labels.ts";
import type { ChartRegistry } from "./chart-registry.ts";
import type { ConnectedWorker } from "./live-run.ts";
import { LiveRuns, type LiveChange } from "./live-runs.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunSuspicions } from "./run-suspicions.ts";
import { Runs } from "./runs.ts";
import type { StoreRuns } from "./store-runs.ts";
import { Workers } from "./workers.ts";

/** Interval between updates to pages, ms. */
const UPDATE_INTERVAL_MS = 33;
/** Interval between updates of the processes, ms. */
const WORKERS_INTERVAL_MS = 250;
/** Interval between reads of stored runs that pages display, ms. */
const READ_INTERVAL_MS = 1_000;

/** The data that a hub serves. */
export type HubOptions = {
  readonly version: string;
  /** True if the hub rejects every command. */
  readonly isReadonly: boolean;
  readonly charts: ChartRegistry;
  readonly files: ReadonlyMap<string, OpenRun>;
  readonly stored?: StoreRuns;
  readonly suspicions: RunSuspicions;
};

const MAX_COMMANDS = 1_000;

/** A page that waits for the acknowledgement of a worker. */
type PendingAck = { readonly worker: ConnectedWorker; readonly resolve: (ack: Ack) => void };

/** A page that the hub keeps up to date. */
export type Page = {
  /** The ids of the runs that it displays. */
  readonly subscriptions: Iterable<string>;
  changed(runId: string, stream?: readonly StreamDelta[]): void;
  sendUpdates(open: (runId: string) => OpenRun | undefined): boolean;
  sendWorkers(message: HubToPage): void;
};

/** The server's core: connects the processes that run agents with the pages that display them. */
export class Hub {
  /** Distinguishes it from the hub before a restart. */
  readonly id = randomUUID();
  readonly version: string;
  /** True if the hub rejects every command. */
  readonly isReadonly: boolean;
  readonly charts: ChartRegistry;
  /** The runs of connected processes. */
  readonly live: LiveRuns;
  /** All runs: live, from files and from the store. */
  readonly runs: Runs;
  readonly suspicions: RunSuspicions;
  /** The labels that people gave the sessions of the store; absent without a store. */
  readonly labels: LabelReader | undefined;
  /** The connected and lost processes. */
  readonly workers: Workers;
  readonly #stored: StoreRuns | undefined;
  readonly #pages = new Set<Page>();
  readonly #opened = new Map<string, OpenRun>();
  readonly #forks = new LRUCache<string, Promise<CommandOutcome>>({ max: MAX_COMMANDS });
  readonly #pendingAcks = new Map<string, PendingAck[]>();
  readonly #reading: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #workersTimer: NodeJS.Timeout | undefined;
  #lastWorkers = "";

  constructor({ version, isReadonly, charts, files, stored, suspicions }: HubOptions) {
    this.version = version;
    this.isReadonly = isReadonly;
    this.charts = charts;
    this.#stored = stored;
    this.live = new LiveRuns((change) => this.#changed(change));
    this.suspicions = suspicions;
    this.labels = stored && new LabelReader(stored.store);
    this.runs = new Runs(this.live, files, { stored, suspicions, labels: this.labels });
    this.workers = new Workers(() => this.#workersChanged());
    let isReading = false; // a store may take longer than the interval
    this.#reading = setInterval(() => {
      if (isReading) return;
      isReading = true;
      void this.#refreshStored().finally(() => (isReading = false));
    }, READ_INTERVAL_MS).unref();
  }

  /** Stops the timers; connections are closed by the server. */
  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#workersTimer);
    clearInterval(this.#reading);
  }

  addPage(page: Page): void {
    this.#pages.add(page);
  }

  /** Registers a run that a page displays, so that the page is updated when the run continues. */
  watchRun(runId: string, run: OpenRun): void {
    if (!this.live.get(runId)) this.#opened.set(runId, run);
  }

  /** Removes a page whose connection was closed. */
  removePage(page: Page): void {
    this.#pages.delete(page);
  }

  /** Creates a message with all processes, for a new page. */
  workersMessage(): HubToPage {
    this.#lastWorkers = ""; // earlier messages did not reach this page
    return { type: "workers", ...this.workers.list(this.live.countByWorker()) };
  }

  /** Sends a command to the process that drives the run, and resolves to its answer. Never rejects. */
  async command(value: unknown): Promise<Ack> {
    const id = commandIdOf(value);
    if (this.isReadonly)
      return { id, ...refused("readonly", "This hub is read-only: it was started with --readonly.") };
    const read = readCommand(value);
    if ("problem" in read) return { id, ...refused("invalid", read.problem) };
    const { command } = read;
    const worker = this.live.workerOf(command.runId);
    if (!worker) return { id, ...(await this.#executeOnce(command)) };
    return new Promise((resolve) => {
      this.#pendingAcks.set(id, [...(this.#pendingAcks.get(id) ?? []), { worker, resolve }]);
      worker.send(command);
    });
  }

  /** Forwards an acknowledgement to the pages that wait for it. */
  acknowledged(ack: Ack): void {
    this.#sendUpdates(); // pages get the changes before the acknowledgement
    for (const { resolve } of this.#pendingAcks.get(ack.id) ?? []) resolve(ack);
    this.#pendingAcks.delete(ack.id);
  }

  /** Answers the commands that a lost process has not acknowledged. */
  workerDisconnected(worker: ConnectedWorker): void {
    for (const [id, waiting] of this.#pendingAcks) {
      if (!waiting.some((each) => each.worker === worker)) continue;
      this.#pendingAcks.delete(id);
      const lost = refused(
        "unavailable",
        "The connection to the process was lost before it answered; the command may have been executed.",
      );
      for (const { resolve } of waiting) resolve({ id, ...lost });
    }
  }

  /** Executes a command in the hub. A fork is written once per command id. */
  #executeOnce(command: RunCommand): Promise<CommandOutcome> {
    const { id, type } = command;
    const known = this.#forks.get(id);
    if (known) return known;
    const outcome = this.#executeHere(command);
    if (type === "fork") this.#forks.set(id, outcome);
    return outcome;
  }

  /** Executes what is possible for a session that no process drives. */
  async #executeHere(command: RunCommand): Promise<CommandOutcome> {
    const store: SessionStore | undefined = this.#stored?.store;
    const isFork = command.type === "fork" || command.type === "forkPlan";
    if (!store || !isFork) return refused("unavailable", "No process drives this run.");
    try {
      const { forkOutcome, planFork, writeForks } = await import("../client/fork-run.ts");
      if (command.type === "forkPlan") return await planFork(store, command);
      if (command.start)
        return refused("unavailable", "No connected process can run the fork: fork without starting it.");
      return forkOutcome(await writeForks(store, command));
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  #workersChanged(): void {
    if (this.#pages.size === 0) return;
    this.#workersTimer ??= setTimeout(() => {
      this.#workersTimer = undefined;
      const before = this.#lastWorkers;
      const message = this.workersMessage();
      this.#lastWorkers = JSON.stringify(message);
      if (this.#lastWorkers !== before) for (const page of this.#pages) page.sendWorkers(message);
    }, WORKERS_INTERVAL_MS);
  }

  #changed({ runId, stream }: LiveChange): void {
    if (!stream) this.#workersChanged();
    for (const page of this.#pages) page.changed(runId, stream);
    this.updateSoon();
  }

  /** Sends changes to the pages after a moment. */
  updateSoon(): void {
    if (this.#pages.size > 0) this.#timer ??= setTimeout(() => this.#sendUpdates(), UPDATE_INTERVAL_MS);
  }

  #sendUpdates(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const open = (runId: string): OpenRun | undefined => this.live.get(runId) ?? this.#opened.get(runId);
    let isDone = true;
    for (const page of this.#pages) if (!page.sendUpdates(open)) isDone = false;
    if (!isDone) this.#timer = setTimeout(() => this.#sendUpdates(), UPDATE_INTERVAL_MS);
  }

  /**
   * Reads the stored runs that pages display again: a process that does not report to this hub may drive them.
   */
  async #refreshStored(): Promise<void> {
    const displayed = new Set([...this.#pages].flatMap((page) => [...page.subscriptions]));
    for (const runId of this.#opened.keys()) if (!displayed.has(runId)) this.#opened.delete(runId);
    for (const runId of displayed) {
      if (!this.#stored || this.live.get(runId)) continue;
      const run = await this.#stored.open(runId).catch(() => undefined);
      if (!run) continue;
      const before = this.#opened.get(runId);
      this.#opened.set(runId, run);
      if (before && (before.row.seq !== run.row.seq || before.row.phase !== run.row.phase))
        this.#changed({ runId });
    }
  }
}
