import type { WebSocket } from "ws";
import {
  PROTOCOL,
  type Ack,
  type HubToPage,
  type PageToHub,
  type RunRow,
  type StreamDelta,
} from "../protocol/protocol.ts";
import type { Charts } from "./charts.ts";
import type { LiveRuns } from "./live-runs.ts";
import type { OpenRun } from "./open-run.ts";
import type { Runs } from "./runs.ts";
import { isSameToken } from "./security.ts";
import { watchSocket } from "./watch-socket.ts";

/** Bytes that wait for the page above which deltas are dropped and steps wait. */
const FULL = 1_000_000;
/** Steps a page gets at first; the rest it fetches. */
const NEWEST = 500;
/** Steps that a page may lag behind before they are left out. */
const MOST_BEHIND = 2_000;
const STEPS_IN_MESSAGE = 250;

/** How often the rows of runs that go on are said, ms. */
const ROWS_EVERY = 250;

type Subscription = { next: number; isNew: boolean; states: number; pending: string };

/** The functions of the hub that a page's connection calls. */
export type PageHub = {
  readonly version: string;
  readonly isReadonly: boolean;
  readonly charts: Charts;
  readonly live: LiveRuns;
  readonly runs: Runs;
  command(command: unknown): Promise<Ack>;
  looksAt(runId: string, run: OpenRun): void;
  workersMessage(): HubToPage;
};

/** Talks with one page. */
export class PageSocket {
  readonly #socket: WebSocket;
  readonly #hub: PageHub;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #rows = new Set<string>();
  readonly #said = new Map<string, string>();
  #rowsSaidAt = 0;
  #deltas: StreamDelta[] = [];
  readonly #charts = new Set<string>();
  #isGreeted = false;

  constructor(socket: WebSocket, hub: PageHub, token: string) {
    this.#socket = socket;
    this.#hub = hub;
    const greeted = watchSocket(socket);
    socket.on("message", (data) => {
      const message = parsed(String(data as Buffer));
      if (!message) return socket.close(4400, "Not understood");
      if (this.#isGreeted) return this.#calmly(this.#hear(message));
      if (message.type !== "hello" || !isSameToken(message.token, token))
        return socket.close(4401, "Wrong token");
      if (message.proto !== PROTOCOL) {
        this.#welcome();
        return socket.close(4406, `This hub speaks version ${PROTOCOL}`);
      }
      greeted();
      this.#isGreeted = true;
      this.#welcome();
      this.#calmly(this.#list());
    });
  }

  /** A store that fails is no reason to end: the page asks by HTTP too, and hears why there. */
  #calmly(work: Promise<void>): void {
    work.catch(() => {});
  }

  /** Ids of the runs it looks at. */
  get subscriptions(): Iterable<string> {
    return this.#subscriptions.keys();
  }

  /** A run has changed; said with the next {@link PageSocket.tell}. */
  changed(runId: string, stream: readonly StreamDelta[] = []): void {
    if (stream.length > 0) {
      if (this.#subscriptions.has(runId)) this.#deltas.push(...stream);
    } else this.#rows.add(runId);
  }

  say(message: HubToPage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  sayWorkers(message: HubToPage): void {
    if (this.#isGreeted) this.say(message);
  }

  /** Says what has changed. False if the page is too slow, and has to be told again. */
  tell(open: (runId: string) => OpenRun | undefined): boolean {
    const isFull = this.#socket.bufferedAmount > FULL;
    if (isFull) this.#deltas = [];
    if (isFull || !this.#isGreeted) return !isFull;
    let isDone = this.#tellRows(open);
    for (const [runId, subscription] of this.#subscriptions) {
      const run = open(runId);
      if (run && !this.#tellRun(run, subscription)) isDone = false;
    }
    if (this.#deltas.length > 0) this.say({ type: "stream", items: this.#deltas });
    this.#deltas = [];
    return isDone;
  }

  /** Rows change with every step: they are said now and then, and at once when a run begins, ends, or needs somebody. */
  #tellRows(open: (runId: string) => OpenRun | undefined): boolean {
    const runs = [...this.#rows].flatMap((runId) => open(runId) ?? []);
    const newsOf = ({ phase, pending, worker, leaf }: RunRow): string =>
      `${phase} ${pending} ${worker?.isUp ?? "-"} ${leaf ?? "-"}`;
    const isDue =
      performance.now() - this.#rowsSaidAt >= ROWS_EVERY ||
      runs.some(({ row }) => this.#said.get(row.runId) !== newsOf(row));
    if (!isDue) return runs.length === 0;
    const rows = runs.map(({ row }) => row);
    for (const row of rows) this.#said.set(row.runId, newsOf(row));
    if (rows.length > 0) this.say({ type: "runs", op: "upsert", rows, total: rows.length });
    this.#rowsSaidAt = performance.now();
    this.#rows.clear();
    return true;
  }

  async #hear(message: PageToHub): Promise<void> {
    if (message.type === "unsub") this.#subscriptions.delete(message.runId);
    else if (message.type === "cmd") this.say({ type: "ack", ...(await this.#hub.command(message.cmd)) });
    else if (message.type === "sub") await this.#subscribe(message);
  }

  #welcome(): void {
    const { version, isReadonly } = this.#hub;
    this.say({ type: "welcome", proto: PROTOCOL, version, pid: process.pid, readonly: isReadonly });
  }

  async #list(): Promise<void> {
    const { rows, total } = await this.#hub.runs.list();
    this.say({ type: "runs", op: "snapshot", rows, total });
    this.say(this.#hub.workersMessage());
  }

  async #subscribe({ runId, after }: Extract<PageToHub, { type: "sub" }>): Promise<void> {
    if (typeof runId !== "string" || !Number.isInteger(after))
      return this.#socket.close(4400, "Not understood");
    const run = await this.#hub.runs.open(runId);
    if (!run) return void this.#subscriptions.set(runId, { next: 1, isNew: true, states: 0, pending: "" }); // it may still come
    this.#hub.looksAt(runId, run);
    const { first, last } = run.log;
    const isNew = after < first - 1 || after > last || (after === 0 && last > NEWEST);
    const next = isNew ? Math.max(first, last - NEWEST + 1) : after + 1;
    const subscription: Subscription = { next, isNew: true, states: 0, pending: "" };
    this.#subscriptions.set(runId, subscription);
    this.say({ type: "runs", op: "upsert", rows: [run.row], total: 1 });
    this.#tellRun(run, subscription);
    const streamed = this.#hub.live.streamed(runId);
    if (streamed.length > 0) this.say({ type: "stream", items: streamed });
    await this.#sayChart(run.row.chart);
  }

  async #sayChart(hash: string): Promise<void> {
    if (this.#charts.has(hash)) return;
    this.#charts.add(hash);
    const chart = await this.#hub.charts.get(hash);
    if (chart) this.say(chart);
    else this.#charts.delete(hash);
  }

  #tellRun({ row, pending, exceeded, log }: OpenRun, subscription: Subscription): boolean {
    const what = JSON.stringify([pending, exceeded]);
    if (what !== subscription.pending)
      this.say({ type: "pending", runId: row.runId, items: pending, ...(exceeded && { exceeded }) });
    subscription.pending = what;
    if (log.last < subscription.next - 1) subscription.next = log.first; // it has begun anew
    const behind = log.last - subscription.next + 1;
    if (behind > MOST_BEHIND || subscription.next < log.first) {
      const next = Math.max(log.first, log.last - NEWEST + 1);
      this.say({ type: "gap", runId: row.runId, from: subscription.next, to: next - 1 });
      subscription.isNew = true;
      subscription.next = next;
    }
    while (subscription.next <= log.last && this.#socket.bufferedAmount < FULL) {
      const page = log.page(subscription.next, subscription.next + STEPS_IN_MESSAGE - 1);
      const { keyframe, states, ...steps } = page;
      this.say({
        type: "steps",
        ...steps,
        states: states.length > subscription.states ? states : [],
        ...(subscription.isNew && keyframe && { keyframe }),
      });
      subscription.isNew = false;
      subscription.states = states.length;
      subscription.next += page.items.length;
    }
    return subscription.next > log.last;
  }
}

function parsed(text: string): PageToHub | undefined {
  try {
    const message = JSON.parse(text) as unknown;
    return typeof message === "object" && message !== null ? (message as PageToHub) : undefined;
  } catch {
    return undefined;
  }
}
