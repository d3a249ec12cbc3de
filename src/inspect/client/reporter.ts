import { guarded } from "../../core/base/guarded.ts";
import { endsWithin } from "../../store/deadlines.ts";
import { unref } from "../../core/base/time.ts";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import type { RunCommand } from "../protocol/commands.ts";
import { HubConnection, type HubConnectionOptions } from "./hub-connection.ts";
import type { ReportedRun, WorkerInfo } from "./reported-run.ts";
import { RunSender } from "./run-sender.ts";

type ReporterOptions = Pick<HubConnectionOptions, "find" | "open" | "onClose" | "retryMs"> & {
  /** This process or page. */
  readonly worker: WorkerInfo;
  /** Is called before what has happened is sent. */
  readonly beforeUpdate: () => void;
  /** Is called with each command of the hub, which may be anything. */
  readonly onCommand: (command: RunCommand) => void;
};

/** Interval between updates to the hub, ms. */
const UPDATE_INTERVAL_MS = 33;
/** The interval if nothing but actors of other systems has changed: a write to a socket costs as much as twenty of their events. */
export const ACTORS_INTERVAL_MS = 100;
/** The time for which a closing agent waits for a connected hub, ms; without a hub it does not wait. */
const FLUSH_TIMEOUT_MS = 1_000;
/** Nothing is sent while more bytes than these are buffered. */
const MAX_BUFFERED_BYTES = 1_000_000;

/** Reports the runs of a process, or of a page in a browser, to a hub. */
export class Reporter {
  readonly #options: ReporterOptions;
  readonly #connection: HubConnection;
  readonly #runs = new Map<string, RunSender>();
  readonly #sentCharts = new Set<string>();
  /** Something has happened since somebody set this to false. */
  hasChanges = false;
  #timer: NodeJS.Timeout | undefined;
  #intervalMs = UPDATE_INTERVAL_MS;
  #updatedAt = 0;

  constructor(options: ReporterOptions) {
    this.#options = options;
    const { find, open, onClose, retryMs } = options;
    this.#connection = new HubConnection({
      find,
      open,
      retryMs,
      ...(onClose && { onClose }),
      hello: (token) => this.#hello(token),
      onMessage: (message) => this.#receive(message),
    });
  }

  /** Returns the run with this id that is reported. */
  runOf(runId: string): ReportedRun | undefined {
    return this.#runs.get(runId)?.run;
  }

  /** All runs that are reported, the oldest first. */
  runs(): readonly ReportedRun[] {
    return [...this.#runs.values()].map(({ run }) => run);
  }

  /** Reports a run from now on. */
  add(run: ReportedRun): void {
    this.#runs.set(run.runId, new RunSender(run));
    this.changed(run.runId);
  }

  /** Says that a run has changed. The next update comes soon, and `intervalMs` after the last one. */
  changed(runId: string, intervalMs = UPDATE_INTERVAL_MS): void {
    const sender = this.#runs.get(runId);
    if (sender) sender.hasUpdates = true;
    this.hasChanges = true;
    if (this.#timer && intervalMs >= this.#intervalMs) return;
    clearTimeout(this.#timer);
    this.#intervalMs = intervalMs;
    const delay = Math.max(UPDATE_INTERVAL_MS, this.#updatedAt + intervalMs - performance.now());
    this.#timer = unref(setTimeout(() => this.update(), delay));
  }

  /** No longer reports a run. The hub keeps what it has of it. */
  drop(runId: string): void {
    this.#runs.delete(runId);
    if (this.#sentCharts.size > this.#runs.size) this.#sentCharts.clear(); // some are of no run any more
    this.send({ type: "gone", runId });
  }

  /** Writes steps, and sends them as far as the connection's buffer allows. */
  update(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#updatedAt = performance.now();
    this.#options.beforeUpdate();
    for (const [runId, sender] of this.#runs) {
      if (!sender.hasUpdates) continue;
      sender.hasUpdates = false;
      // a run that cannot be reported is skipped
      guarded(() => {
        sender.run.write();
        if (!this.#connection.isReady) sender.run.drain();
        else if (!this.#sendRun(sender)) this.changed(runId);
      });
    }
  }

  send(message: WorkerToHub): void {
    this.#connection.send(JSON.stringify(message));
  }

  /** Resolves when the hub has what has happened, or soon. */
  async flush(): Promise<void> {
    const flush = async (): Promise<void> => {
      await this.#connection.attempted();
      this.update();
      await this.#connection.drained();
    };
    await endsWithin(flush(), FLUSH_TIMEOUT_MS);
  }

  /** Disconnects for good. */
  close(): void {
    clearTimeout(this.#timer);
    this.#connection.close();
  }

  #sendRun(sender: RunSender): boolean {
    const { hash, chart } = sender.run.chart;
    if (!this.#sentCharts.has(hash)) this.send({ type: "chart", hash, chart });
    this.#sentCharts.add(hash);
    const hasRoom = (): boolean => this.#connection.bufferedBytes < MAX_BUFFERED_BYTES;
    for (const message of sender.messages(this.#options.worker, hasRoom)) this.#connection.send(...message);
    return sender.isUpToDate;
  }

  #hello(token: string): string {
    const { id, pid } = this.#options.worker;
    const charts = new Map(this.runs().map(({ chart: { hash, chart } }) => [hash, chart]));
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
    if (message.type === "cmd") this.#options.onCommand(message.cmd);
    if (message.type !== "welcome") return;
    for (const [runId, sender] of this.#runs) {
      sender.resumeAfter(Object.hasOwn(message.have, runId) ? message.have[runId]! : 0);
      sender.hasUpdates = true;
    }
    this.update();
  }
}
