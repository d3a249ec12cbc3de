import { randomUUID } from "node:crypto";
import type { Agent, AgentConfig, AgentWatcher } from "../../agent/types.ts";
import { refused } from "../protocol/ack.ts";
import { parseAddress } from "../../base/inspect-address.ts";
import { findHub } from "../protocol/address.ts";
import { carryOut } from "./carry-out.ts";
import { commandIdOf, readCommand } from "../protocol/command-schema.ts";
import { Connection } from "./connection.ts";
import type { HistoryLimits } from "./history.ts";
import { PROTOCOL, type Ack, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import { RunSender } from "./run-sender.ts";
import { WatchedRun, type WorkerInfo } from "./watch-run.ts";

export type InspectorOptions = {
  /** The hub's address, "http://127.0.0.1:4000", perhaps with `#w=TOKEN`. Default: what `agentchart inspect` has written to
   *  `~/.agentchart/inspect.json`, whenever that is. */
  readonly url?: string;
  /** Default: `#w=` of `url`, the environment variable AGENTCHART_INSPECT_TOKEN, or the file. */
  readonly token?: string;
  /** Default: the user's home. */
  readonly home?: string;
  /** Bounds of the pause before another try to connect, ms; default 500 and 10,000. */
  readonly retryMs?: readonly [least: number, most: number];
  /** How much of each run is kept for a hub that comes late. */
  readonly keep?: HistoryLimits;
};

/** The way of the agents of this process to the visualizer. */
export interface AgentInspector extends AgentWatcher {
  /** Shows an agent from now on; `createAgent({ inspect })` does it from the start. Without its `config` it cannot be forked,
   *  nor resumed once it has ended. */
  watch(
    agent: Agent<never>,
    config?: AgentConfig<never>,
    position?: () => number,
  ): ReturnType<AgentWatcher["watch"]>;
  /** Sends what is left and lets go of the hub. */
  close(): Promise<void>;
}

/** How often the hub is told, ms. */
const TELL_EVERY = 33;
/** How long a closing agent waits for a hub that is there, ms; for none it does not wait. */
const FLUSH_MS = 1_000;
/** Bytes on their way above which nothing more is sent. */
const FULL = 1_000_000;
const MOST_ENDED_RUNS = 50;
const MOST_COMMANDS = 1_000;

class HubInspector implements AgentInspector {
  readonly #keep: HistoryLimits | undefined;
  readonly #worker: WorkerInfo & { readonly id: string };
  readonly #connection: Connection;
  readonly #runs = new Map<string, RunSender>();
  readonly #commands = new Map<string, Promise<Ack>>();
  readonly #charts = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Something happened since the process last had nothing to do. */
  #hasNews = false;
  readonly #beforeExit = (): void => void this.#lastFlush();

  constructor({ url, token, home, retryMs = [500, 10_000], keep }: InspectorOptions) {
    this.#keep = keep;
    this.#worker = { id: randomUUID(), pid: process.pid, isUp: true, since: Date.now() };
    const parsed = url === undefined ? {} : parseAddress(url);
    const where = { ...parsed, ...(token !== undefined && { token }), ...(home !== undefined && { home }) };
    this.#connection = new Connection({
      find: () => findHub(where),
      hello: (hubToken) => this.#hello(hubToken),
      heard: (message) => this.#hear(message),
      retryMs,
    });
    process.on("beforeExit", this.#beforeExit);
  }

  watch(
    agent: Agent<never>,
    config?: AgentConfig<never>,
    position?: () => number,
  ): ReturnType<AgentWatcher["watch"]> {
    const runId = agent.sessionId;
    try {
      let sender = this.#runs.get(runId);
      if (!sender) {
        const run = new WatchedRun(runId, () => this.#changed(runId), this.#keep);
        this.#runs.set(runId, (sender = new RunSender(run)));
        this.#forgetOldest();
      }
      sender.run.follow(agent as Agent, config as AgentConfig | undefined, position);
    } catch {
      // the agent runs without being seen
    }
    return { committed: () => this.#changed(runId), flushed: () => this.#flush() };
  }

  async close(): Promise<void> {
    await this.#flush();
    process.off("beforeExit", this.#beforeExit);
    clearTimeout(this.#timer);
    this.#connection.close();
  }

  #changed(runId: string): void {
    const sender = this.#runs.get(runId);
    if (sender) sender.isDue = true;
    this.#hasNews = true;
    this.#timer ??= setTimeout(() => this.#tell(), TELL_EVERY).unref();
  }

  /** Writes steps and sends what there is room for. */
  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [runId, sender] of this.#runs) {
      if (!sender.isDue) continue;
      sender.isDue = false;
      try {
        sender.run.write();
        if (!this.#connection.isReady) sender.run.stream.drain();
        else if (!this.#send(sender)) this.#changed(runId);
      } catch {
        // a run that cannot be told is not told
      }
    }
  }

  #send(sender: RunSender): boolean {
    const { hash, chart } = sender.run.chart;
    if (!this.#charts.has(hash)) this.#say({ type: "chart", hash, chart });
    this.#charts.add(hash);
    for (const message of sender.messages(this.#worker, () => this.#connection.waiting < FULL))
      this.#connection.send(...message);
    return sender.isDone;
  }

  #say(message: WorkerToHub): void {
    this.#connection.send(JSON.stringify(message));
  }

  #hello(token: string): string {
    const { id, pid } = this.#worker;
    const charts = new Map([...this.#runs.values()].map(({ run: { chart } }) => [chart.hash, chart.chart]));
    this.#charts.clear();
    for (const hash of charts.keys()) this.#charts.add(hash);
    return JSON.stringify({
      type: "hello",
      token,
      proto: PROTOCOL,
      worker: id,
      pid,
      charts: [...charts].map(([hash, chart]) => ({ hash, chart })),
    } satisfies WorkerToHub);
  }

  #hear(message: HubToWorker): void {
    if (message.type === "cmd") void this.#command(message.cmd);
    if (message.type !== "welcome") return;
    for (const [runId, sender] of this.#runs) {
      sender.beginAfter(Object.hasOwn(message.have, runId) ? message.have[runId]! : 0);
      sender.isDue = true;
    }
    this.#tell();
  }

  async #command(given: unknown): Promise<void> {
    const ack = await this.#once(given);
    this.#tell(); // so that the page knows what has become of it before it hears that it is done
    this.#say({ type: "ack", ack });
  }

  /** A command is carried out once; who repeats it hears the same. */
  #once(given: unknown): Promise<Ack> {
    const id = commandIdOf(given);
    const known = this.#commands.get(id);
    if (known) return known;
    const read = readCommand(given);
    const run = "command" in read ? this.#runs.get(read.command.runId)?.run : undefined;
    const outcome =
      "problem" in read
        ? Promise.resolve(refused("invalid", read.problem))
        : run
          ? carryOut(read.command, run, this.#worker)
          : Promise.resolve(refused("unavailable", "This process does not know the run."));
    const ack = outcome.then((ended): Ack => ({ id, ...ended }));
    this.#commands.set(id, ack);
    if (this.#commands.size > MOST_COMMANDS) this.#commands.delete(this.#commands.keys().next().value!);
    return ack;
  }

  async #flush(): Promise<void> {
    const { promise: deadline, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, FLUSH_MS);
    const flushed = async (): Promise<void> => {
      await this.#connection.settled();
      this.#tell();
      await this.#connection.drained();
    };
    await Promise.race([flushed(), deadline]);
    clearTimeout(timer);
  }

  /** The process has nothing more to do: what is left is sent, once. */
  async #lastFlush(): Promise<void> {
    if (!this.#hasNews) return;
    this.#hasNews = false;
    await this.#flush();
  }

  #forgetOldest(): void {
    const ended = [...this.#runs].filter(([, { run }]) => run.hasEnded);
    for (const [runId] of ended.slice(0, Math.max(0, ended.length - MOST_ENDED_RUNS))) {
      this.#runs.delete(runId);
      this.#say({ type: "gone", runId });
    }
  }
}

/** A connection to the visualizer for all agents of this process: `createAgent({ inspect: inspector() })`. It connects when
 *  there is a hub, before or after, never keeps the process alive and never slows or fails an agent. Throws `config/invalid`
 *  for an address that is none. */
export function inspector(options: InspectorOptions = {}): AgentInspector {
  return new HubInspector(options);
}
