import { failed, refused } from "../protocol/ack.ts";
import { commandIdOf, readCommand } from "../protocol/command-schema.ts";
import { forked, planFork, writeFork } from "../client/fork-run.ts";
import type { Ack, Command, HubToPage } from "../protocol/protocol.ts";
import type { SessionStore } from "../../store/port.ts";
import type { Charts } from "./charts.ts";
import type { Worker } from "./live-run.ts";
import { LiveRuns, type LiveChange } from "./live-runs.ts";
import type { OpenRun } from "./open-run.ts";
import type { PageSocket } from "./page-socket.ts";
import { Runs } from "./runs.ts";
import type { StoreRuns } from "./store-runs.ts";
import { Workers } from "./workers.ts";

/** How often pages are told, ms. */
const TELL_EVERY = 33;
/** How often they are told of the processes, ms. */
const TELL_WORKERS_EVERY = 250;
/** How often a stored run that somebody looks at is read on, ms. */
const READ_EVERY = 1_000;

export type HubOptions = {
  readonly version: string;
  readonly isReadonly: boolean;
  readonly charts: Charts;
  readonly files: ReadonlyMap<string, OpenRun>;
  readonly stored?: StoreRuns;
};

const MOST_COMMANDS = 1_000;

type Waiting = { readonly worker: Worker; readonly resolve: (ack: Ack) => void };

/** Where agents and pages meet. */
export class Hub {
  readonly version: string;
  readonly isReadonly: boolean;
  readonly charts: Charts;
  readonly live: LiveRuns;
  readonly runs: Runs;
  readonly workers: Workers;
  readonly #stored: StoreRuns | undefined;
  readonly #pages = new Set<PageSocket>();
  readonly #opened = new Map<string, OpenRun>();
  readonly #done = new Map<string, Promise<Omit<Ack, "id">>>();
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #reading: NodeJS.Timeout;
  #timer: NodeJS.Timeout | undefined;
  #workersTimer: NodeJS.Timeout | undefined;
  #workersSaid = "";

  constructor({ version, isReadonly, charts, files, stored }: HubOptions) {
    this.version = version;
    this.isReadonly = isReadonly;
    this.charts = charts;
    this.#stored = stored;
    this.live = new LiveRuns((change) => this.#changed(change));
    this.runs = new Runs(this.live, files, stored);
    this.workers = new Workers(() => this.#workersChanged());
    this.#reading = setInterval(() => void this.#readOn(), READ_EVERY).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#workersTimer);
    clearInterval(this.#reading);
  }

  addPage(page: PageSocket): void {
    this.#pages.add(page);
  }

  /** A page looks at this run as it stands; if it goes on, the page is told. */
  looksAt(runId: string, run: OpenRun): void {
    if (!this.live.get(runId)) this.#opened.set(runId, run);
  }

  removePage(page: PageSocket): void {
    this.#pages.delete(page);
  }

  /** The processes, for a page that has heard nothing of them. */
  workersMessage(): HubToPage {
    this.#workersSaid = ""; // what was said before was not said to this page
    return { type: "workers", ...this.workers.list(this.live.countByWorker()) };
  }

  /** Carries a command to the process that drives the run; ends with its answer. Never rejects. */
  async command(given: unknown): Promise<Ack> {
    const id = commandIdOf(given);
    if (this.isReadonly)
      return { id, ...refused("readonly", "This hub only shows: it was started with --readonly.") };
    const read = readCommand(given);
    if ("problem" in read) return { id, ...refused("invalid", read.problem) };
    const { command } = read;
    const worker = this.live.workerOf(command.runId);
    if (!worker) return { id, ...(await this.#once(command)) };
    return new Promise((resolve) => {
      this.#waiting.set(id, [...(this.#waiting.get(id) ?? []), { worker, resolve }]);
      worker.send(command);
    });
  }

  acknowledged(ack: Ack): void {
    this.#tell(); // pages hear what has changed before they hear that it is done
    for (const { resolve } of this.#waiting.get(ack.id) ?? []) resolve(ack);
    this.#waiting.delete(ack.id);
  }

  workerLost(worker: Worker): void {
    for (const [id, waiting] of this.#waiting) {
      if (!waiting.some((each) => each.worker === worker)) continue;
      this.#waiting.delete(id);
      const lost = refused(
        "unavailable",
        "The process was lost before it answered; whether it did it is not known.",
      );
      for (const { resolve } of waiting) resolve({ id, ...lost });
    }
  }

  /** A fork that the hub has written is not written again for who repeats the command. */
  #once(command: Command): Promise<Omit<Ack, "id">> {
    const { id, type } = command;
    const known = this.#done.get(id);
    if (known) return known;
    const done = this.#own(command);
    if (type !== "fork") return done;
    this.#done.set(id, done);
    if (this.#done.size > MOST_COMMANDS) this.#done.delete(this.#done.keys().next().value!);
    return done;
  }

  /** What can be done with a session that no process drives. */
  async #own(command: Command): Promise<Omit<Ack, "id">> {
    const store: SessionStore | undefined = this.#stored?.store;
    const isFork = command.type === "fork" || command.type === "forkPlan";
    if (!store || !isFork) return refused("unavailable", "No process drives this run now.");
    try {
      if (command.type === "forkPlan") return await planFork(store, command.runId, command.seq);
      if (command.start)
        return refused("unavailable", "No process here could run the fork: fork without starting it.");
      const written = await writeFork(store, command);
      return "fork" in written ? forked(written.fork) : written;
    } catch (error) {
      return failed(error);
    }
  }

  #workersChanged(): void {
    if (this.#pages.size === 0) return;
    this.#workersTimer ??= setTimeout(() => {
      this.#workersTimer = undefined;
      const before = this.#workersSaid;
      const message = this.workersMessage();
      this.#workersSaid = JSON.stringify(message);
      if (this.#workersSaid !== before) for (const page of this.#pages) page.sayWorkers(message);
    }, TELL_WORKERS_EVERY);
  }

  #changed({ runId, stream }: LiveChange): void {
    if (!stream) this.#workersChanged();
    for (const page of this.#pages) page.changed(runId, stream);
    if (this.#pages.size > 0) this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY);
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const open = (runId: string): OpenRun | undefined => this.live.get(runId) ?? this.#opened.get(runId);
    let isDone = true;
    for (const page of this.#pages) if (!page.tell(open)) isDone = false;
    if (!isDone) this.#timer = setTimeout(() => this.#tell(), TELL_EVERY);
  }

  /** Stored runs that pages look at may be driven by a process that does not report here. */
  async #readOn(): Promise<void> {
    const wanted = new Set([...this.#pages].flatMap((page) => [...page.subscriptions]));
    for (const runId of this.#opened.keys()) if (!wanted.has(runId)) this.#opened.delete(runId);
    for (const runId of wanted) {
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
