import type { Socket } from "node:net";
import { configError } from "../core/base/error.ts";
import type { Client, ClientBase, QueryConfig, QueryResult, QueryResultRow } from "pg";

/** The most connections of a pipeline. */
export const PIPELINE_CONNECTIONS = 3;
/** A connection with so many open statements gets no others while another one has fewer. */
const DEPTH = 8;
/** For so long a statement may wait for a lock, ms: those behind it wait as well. */
const LOCK_TIMEOUT_MS = 250;
/** The settings of a connection. Each statement is planned once: its plan is the same for all values, but once a table has been analyzed
 *  Postgres may find that planning an append each time looks cheaper, which takes longer than to run it. */
const SETTINGS = `SELECT set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', false), set_config('plan_cache_mode', 'force_generic_plan', false)`;
/** A connection without a statement is ended after this, ms. */
const IDLE_MS = 10_000;

/** Returns the socket of a connection, which the types of `pg` leave out. */
export const socketOf = (client: ClientBase): Socket =>
  (client as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;

type Line = {
  readonly client: Promise<Client>;
  /** The number of statements without an answer. */
  open: number;
  /** Times at which statements without an answer were sent, the oldest first: they are answered in this order. */
  readonly sent: number[];
  late: NodeJS.Timeout | undefined;
  idle: NodeJS.Timeout | undefined;
};

type Waiting = {
  readonly config: QueryConfig;
  readonly resolve: (result: QueryResult<QueryResultRow>) => void;
  readonly reject: (error: unknown) => void;
};

/** The errors of a statement that has done nothing: it has waited for a lock, or one before it has that was to prepare both. */
const DID_NOTHING: ReadonlySet<unknown> = new Set(["55P03", "26000", "42P05"]);

/**
 * Runs short statements of many callers on few connections, without waiting for the answers of those before. Each is a transaction of its
 * own. Those that are asked for in one turn of the event loop leave in one packet: a packet costs both processes more than a statement.
 */
export class PostgresPipeline {
  readonly #newClient: (options: { readonly pipeline: true }) => Client | Promise<Client>;
  readonly #alone: (config: QueryConfig) => Promise<QueryResult<QueryResultRow>>;
  readonly #lines = new Set<Line>();
  /** The clients whose connections are open, also those that are being made or ended. */
  readonly #clients = new Set<Client>();
  readonly #timeoutMs: number;
  #waiting: Waiting[] = [];
  #isEnded = false;

  /** `alone` runs a statement that waits for a lock, on a connection where nothing waits for it. A connection on which a statement has no
   *  answer after `timeoutMs` is cut. The driver's own timeouts are not for this: V8 keeps what their callbacks refer to, all of a
   *  statement and its result, until it collects the old objects. */
  constructor(
    newClient: (options: { readonly pipeline: true }) => Client | Promise<Client>,
    alone: (config: QueryConfig) => Promise<QueryResult<QueryResultRow>>,
    timeoutMs: number,
  ) {
    this.#newClient = newClient;
    this.#alone = alone;
    this.#timeoutMs = timeoutMs;
  }

  /** Rejects with the driver's error. A lost connection fails all statements that are open on it. */
  async query<R extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<R>> {
    if (this.#isEnded) throw new Error("The connections are closed.");
    try {
      return (await new Promise<QueryResult<QueryResultRow>>((resolve, reject) => {
        this.#waiting.push({ config, resolve, reject });
        if (this.#waiting.length === 1) setImmediate(() => void this.#flush());
      })) as QueryResult<R>;
    } catch (error) {
      if (!DID_NOTHING.has((error as { readonly code?: unknown } | null)?.code)) throw error;
      return (await this.#alone(config)) as QueryResult<R>;
    }
  }

  /** Ends the connections once their statements are answered. */
  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#flush();
    await Promise.all(Array.from(this.#lines, (line) => this.#endLine(line)));
  }

  /** Cuts the connections: all open statements fail. */
  cut(): void {
    for (const client of this.#clients) socketOf(client).destroy();
  }

  async #flush(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const line = this.#chosen();
    line.open += waiting.length;
    try {
      const client = await line.client;
      const stream = socketOf(client);
      if (stream.destroyed) {
        // as the driver leaves a connection that has not answered in time
        this.#lines.delete(line);
        this.#waiting.unshift(...waiting);
        return await this.#flush();
      }
      if (line.open === waiting.length) stream.ref();
      stream.cork();
      const now = performance.now();
      for (const { config, resolve, reject } of waiting) {
        line.sent.push(now);
        client.query(config, (error: unknown, result) => {
          this.#answered(line, stream);
          if (error) reject(error);
          else resolve(result);
        });
      }
      stream.uncork();
      line.late ??= setTimeout(() => this.#look(line, stream), this.#timeoutMs).unref();
    } catch (error) {
      this.#lines.delete(line);
      for (const { reject } of waiting) reject(error);
    }
  }

  /** Cuts a connection whose oldest statement is late, else looks again when it will be. */
  #look(line: Line, stream: Socket): void {
    const [oldest] = line.sent;
    line.late = undefined;
    if (oldest === undefined) return;
    const restMs = oldest + this.#timeoutMs - performance.now();
    if (restMs > 0) line.late = setTimeout(() => this.#look(line, stream), restMs).unref();
    else stream.destroy(new Error(`A statement had no answer within ${this.#timeoutMs} ms (timeout).`));
  }

  #answered(line: Line, stream: Socket): void {
    line.sent.shift();
    if (--line.open > 0) return;
    stream.unref(); // a program that has nothing left to do ends
    line.idle ??= setTimeout(() => {
      if (line.open === 0) void this.#endLine(line);
    }, IDLE_MS).unref();
    line.idle.refresh();
  }

  #chosen(): Line {
    const lines = [...this.#lines];
    const free = lines.find(({ open }) => open < DEPTH);
    if (free) return free;
    if (lines.length < PIPELINE_CONNECTIONS) return this.#open();
    return lines.reduce((best, line) => (line.open < best.open ? line : best));
  }

  #open(): Line {
    const client = this.#connect(() => this.#lines.delete(line));
    const line: Line = { client, open: 0, sent: [], late: undefined, idle: undefined };
    this.#lines.add(line);
    return line;
  }

  async #connect(onLost: () => void): Promise<Client> {
    const client = await this.#newClient({ pipeline: true });
    if (!client.pipeline)
      throw configError(
        "The installed package pg sends one statement at a time; expected pg 8.23 or newer: npm install pg@^8.23.0",
      );
    client.on("error", onLost);
    client.on("end", onLost);
    client.on("end", () => this.#clients.delete(client));
    this.#clients.add(client);
    await client.connect();
    client.query(SETTINGS).catch(() => {}); // a lost connection fails the next one as well
    return client;
  }

  async #endLine(line: Line): Promise<void> {
    this.#lines.delete(line);
    clearTimeout(line.idle);
    clearTimeout(line.late);
    await line.client.then(
      (client) => client.end(),
      () => {},
    );
  }
}
