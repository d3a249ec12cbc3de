import { LRUCache } from "lru-cache";
import { parsedJson } from "../../core/base/json.ts";
import type { WebSocket } from "ws";
import {
  PROTOCOL,
  type HubToPage,
  type PageToHub,
  type RunRow,
  type StreamDelta,
} from "../protocol/protocol.ts";
import type { OpenRun } from "./open-run.ts";
import { guardSocket } from "./guard-socket.ts";
import type { Hub, Page } from "./hub.ts";
import type { TokenRefusal } from "./token-gate.ts";

/** While more bytes than these are buffered for the page, deltas are dropped and steps wait. */
const MAX_BUFFERED_BYTES = 1_000_000;
/** The number of steps that a page gets first; it fetches older ones. */
const INITIAL_STEPS = 500;
/** The number of steps that a page may lag behind before steps are skipped. */
const MAX_LAG = 2_000;
const STEPS_PER_MESSAGE = 250;
/** The rows and charts of which a page is known to have them; others may be sent again. */
const MAX_REMEMBERED = 1_000;

/** Interval between updates of the rows of running runs, ms. */
const ROWS_INTERVAL_MS = 250;

type Subscription = { next: number; isNew: boolean; states: number; pending: string };

/** The connection to one page. */
export class PageSocket implements Page {
  readonly #socket: WebSocket;
  readonly #hub: Hub;
  readonly #subscriptions = new Map<string, Subscription>();
  /** The runs that the page wants to see; it has a subscription of each that was opened. */
  readonly #wanted = new Set<string>();
  readonly #rows = new Set<string>();
  readonly #sentStates = new LRUCache<string, string>({ max: MAX_REMEMBERED });
  #rowsSentAt = 0;
  #deltas: StreamDelta[] = [];
  readonly #charts = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  #isWelcomed = false;

  /** `refusalOf` judges the token of the page's `hello`. */
  constructor(socket: WebSocket, hub: Hub, refusalOf: (token: unknown) => TokenRefusal | undefined) {
    this.#socket = socket;
    this.#hub = hub;
    const helloReceived = guardSocket(socket);
    socket.on("message", (data) => {
      const message = parseMessage(String(data as Buffer));
      if (!message) return socket.close(4400, "Invalid message");
      if (this.#isWelcomed) return this.#ignoreErrors(this.#receive(message));
      const refusal = refusalOf(message.type === "hello" ? message.token : undefined);
      if (message.type !== "hello" || refusal) return socket.close(4_000 + refusal!.status, refusal!.reason);
      if (message.proto !== PROTOCOL) {
        this.#welcome();
        return socket.close(4406, `This hub speaks version ${PROTOCOL}`);
      }
      helloReceived();
      this.#isWelcomed = true;
      this.#welcome();
      this.#ignoreErrors(this.#sendLists());
    });
  }

  /** Ignores errors: when a store fails the page requests the same over HTTP and gets the error there. */
  #ignoreErrors(work: Promise<void>): void {
    work.catch(() => {});
  }

  /** The ids of the runs that the page displays. */
  get subscriptions(): Iterable<string> {
    return this.#subscriptions.keys();
  }

  /** Marks a run as changed; the change is sent with the next {@link PageSocket.sendUpdates}. */
  changed(runId: string, stream: readonly StreamDelta[] = []): void {
    if (stream.length > 0) {
      if (this.#subscriptions.has(runId)) this.#deltas.push(...stream);
    } else this.#rows.add(runId);
  }

  /** Sends a message, unless the connection is closing. */
  send(message: HubToPage): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  /** Sends the list of processes to a page that was welcomed. */
  sendWorkers(message: HubToPage): void {
    if (this.#isWelcomed) this.send(message);
  }

  /** Sends the changes. Returns false if the page reads too slowly and needs another update. */
  sendUpdates(open: (runId: string) => OpenRun | undefined): boolean {
    const isFull = this.#socket.bufferedAmount > MAX_BUFFERED_BYTES;
    if (isFull) this.#deltas = [];
    if (isFull || !this.#isWelcomed) return !isFull;
    let isDone = this.#sendRows(open);
    for (const [runId, subscription] of this.#subscriptions) {
      const run = open(runId);
      if (run && !this.#sendRun(run, subscription)) isDone = false;
    }
    if (this.#deltas.length > 0) this.send({ type: "stream", items: this.#deltas });
    this.#deltas = [];
    return isDone;
  }

  /**
   * Sends changed rows. Rows change with every step: they are sent at intervals, and immediately when a run
   * starts, ends or needs a user.
   */
  #sendRows(open: (runId: string) => OpenRun | undefined): boolean {
    const runs = [...this.#rows].flatMap((runId) => open(runId) ?? []);
    const stateOf = ({ phase, pending, worker, leaf: revision }: RunRow): string =>
      `${phase} ${pending} ${worker?.isUp ?? "-"} ${revision ?? "-"}`;
    const isDue =
      performance.now() - this.#rowsSentAt >= ROWS_INTERVAL_MS ||
      runs.some(({ row }) => this.#sentStates.get(row.runId) !== stateOf(row));
    if (!isDue) return runs.length === 0;
    const rows = runs.map((run) => this.#hub.runs.rowOf(run));
    for (const row of rows) this.#sentStates.set(row.runId, stateOf(row));
    if (rows.length > 0) this.send({ type: "runs", op: "upsert", rows, total: rows.length });
    this.#rowsSentAt = performance.now();
    this.#rows.clear();
    return true;
  }

  async #receive(message: PageToHub): Promise<void> {
    if (message.type === "unsub") {
      this.#wanted.delete(message.runId);
      this.#subscriptions.delete(message.runId);
    } else if (message.type === "cmd") this.send({ type: "ack", ...(await this.#hub.command(message.cmd)) });
    else if (message.type === "sub") await this.#subscribe(message);
  }

  #welcome(): void {
    const { id: hub, version, isReadonly } = this.#hub;
    this.send({ type: "welcome", proto: PROTOCOL, version, pid: process.pid, hub, readonly: isReadonly });
  }

  async #sendLists(): Promise<void> {
    const { rows, total } = await this.#hub.runs.list();
    this.send({ type: "runs", op: "snapshot", rows, total });
    this.send(this.#hub.workersMessage());
  }

  async #subscribe({ runId, after }: Extract<PageToHub, { type: "sub" }>): Promise<void> {
    if (typeof runId !== "string" || !Number.isInteger(after))
      return this.#socket.close(4400, "Invalid message");
    this.#wanted.add(runId);
    const run = await this.#hub.runs.open(runId);
    if (!this.#wanted.has(runId)) return; // it was left while the store was read
    if (!run) return void this.#subscriptions.set(runId, { next: 1, isNew: true, states: 0, pending: "" }); // the run may still start
    this.#hub.watchRun(runId, run);
    const { first, last } = run.log;
    const isNew = after < first - 1 || after > last || (after === 0 && last > INITIAL_STEPS);
    const next = isNew ? Math.max(first, last - INITIAL_STEPS + 1) : after + 1;
    const subscription: Subscription = { next, isNew: true, states: 0, pending: "" };
    this.#subscriptions.set(runId, subscription);
    this.send({ type: "runs", op: "upsert", rows: [this.#hub.runs.rowOf(run)], total: 1 });
    if (!this.#sendRun(run, subscription)) this.#hub.updateSoon(); // a run at rest has no other news
    const streamed = this.#hub.live.streamed(runId);
    if (streamed.length > 0) this.send({ type: "stream", items: streamed });
    await this.#sendChart(run.row.chart);
  }

  async #sendChart(hash: string): Promise<void> {
    if (this.#charts.has(hash)) return;
    this.#charts.set(hash, true);
    const chart = await this.#hub.charts.get(hash);
    if (chart) this.send(chart);
    else this.#charts.delete(hash);
  }

  #sendRun({ row, pending, exceeded, log }: OpenRun, subscription: Subscription): boolean {
    const content = JSON.stringify([pending, exceeded]);
    if (content !== subscription.pending)
      this.send({ type: "pending", runId: row.runId, items: pending, ...(exceeded && { exceeded }) });
    subscription.pending = content;
    if (log.last < subscription.next - 1)
      Object.assign(subscription, { next: log.first, isNew: true, states: 0 }); // the log was restarted
    const behind = log.last - subscription.next + 1;
    if (behind > MAX_LAG || subscription.next < log.first) {
      const next = Math.max(log.first, log.last - INITIAL_STEPS + 1);
      this.send({ type: "gap", runId: row.runId, from: subscription.next, to: next - 1 });
      subscription.isNew = true;
      subscription.next = next;
    }
    while (subscription.next <= log.last && this.#socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      const { next, isNew } = subscription;
      const page = log.page(next, next + STEPS_PER_MESSAGE - 1, !isNew);
      const { keyframe, states, ...steps } = page;
      this.send({
        type: "steps",
        ...steps,
        states: states.length > subscription.states ? states : [],
        ...(isNew && keyframe && { keyframe }),
      });
      subscription.isNew = false;
      subscription.states = states.length;
      subscription.next += page.items.length;
    }
    return subscription.next > log.last;
  }
}

function parseMessage(text: string): PageToHub | undefined {
  const message: unknown = parsedJson(text);
  return typeof message === "object" && message !== null ? (message as PageToHub) : undefined;
}
