import { once } from "node:events";
import { WebSocket } from "ws";
import type { Chart } from "agentchart/machines";
import type { RunCommand, PendingItem } from "../../../src/inspect/protocol/commands.ts";
import {
  PROTOCOL,
  type HubToWorker,
  type RunRow,
  type Step as WireStep,
  type WorkerToHub,
} from "../../../src/inspect/protocol/protocol.ts";
import type { Hub } from "./hub.ts";

/** A worker connection that a test controls, for foreign charts, hostile strings and exact timing. */
export class WireWorker {
  readonly #socket: WebSocket;
  /** The commands that it has received, in order. */
  readonly commands: RunCommand[] = [];

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(String(data)) as HubToWorker;
      if (message.type === "cmd") this.commands.push(message.cmd);
    });
  }

  static async connect(
    hub: Hub,
    charts: readonly { readonly hash: string; readonly chart: Chart }[],
  ): Promise<WireWorker> {
    const socket = new WebSocket(`${hub.url.replace("http", "ws")}/worker`);
    await once(socket, "open");
    const worker = new WireWorker(socket);
    worker.send({
      type: "hello",
      token: hub.workerToken,
      proto: PROTOCOL,
      worker: "by-hand",
      pid: process.pid,
      charts,
    });
    await once(socket, "message");
    return worker;
  }

  send(message: WorkerToHub): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** Registers a run with one step, after which these states are active. */
  show(
    runId: string,
    chart: string,
    states: readonly string[],
    fields: Partial<RunRow> = {},
    pending: readonly PendingItem[] = [],
    exceeded?: string,
  ): void {
    const now = Date.now();
    const row: RunRow = {
      runId,
      agent: runId,
      chart,
      source: "live",
      worker: { id: "by-hand", pid: process.pid, isUp: true, since: now },
      phase: "running",
      waitsFor: [],
      state: states.at(-1) ?? "",
      startedAt: now,
      updatedAt: now,
      steps: 1,
      usage: {},
      pending: pending.length,
      can: [],
      ...fields,
    };
    const first: WireStep = { q: 1, t: now, m: 0, e: "xstate.init", x: [], s: 0, p: [["=", [], {}]] };
    this.send({ type: "run", row, pending, ...(exceeded !== undefined && { exceeded }) });
    this.send({ type: "steps", runId, states: [states], items: [first], total: 1, first: 1 });
  }

  async close(): Promise<void> {
    const closed = once(this.#socket, "close");
    this.#socket.close();
    await closed;
  }
}
