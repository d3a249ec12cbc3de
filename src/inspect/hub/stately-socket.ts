import { randomUUID } from "node:crypto";
import type { WebSocket } from "ws";
import { ActorSystems } from "../client/actor-systems.ts";
import { RunSender, textOf } from "../client/run-sender.ts";
import { refused } from "../protocol/command-outcome.ts";
import { isWithin } from "../protocol/parse-run-file.ts";
import type { WorkerToHub } from "../protocol/protocol.ts";
import { checkWorkerMessage } from "./check-message.ts";
import { guardSocket } from "./guard-socket.ts";
import type { Hub } from "./hub.ts";
import type { ConnectedWorker } from "./live-run.ts";
import { StatelyActors } from "./stately-actors.ts";

const UPDATE_INTERVAL_MS = 33;
const MAX_DEPTH = 200;

/** Serves the connection to a program that reports its actors with `createWebSocketInspector` of `@statelyai/inspect`. */
export function serveStately(socket: WebSocket, hub: Hub): void {
  const worker: ConnectedWorker = {
    id: `statelyai-inspect-${randomUUID().slice(0, 8)}`,
    pid: 0, // it does not tell
    send: ({ id }) =>
      hub.acknowledged({ id, ...refused("unavailable", "@statelyai/inspect takes no commands.") }),
  };
  const info = { id: worker.id, pid: worker.pid, isUp: true, since: Date.now() };
  const runs = new Map<string, RunSender>();
  let timer: NodeJS.Timeout | undefined;

  const receive = (message: WorkerToHub): void => {
    checkWorkerMessage(message);
    hub.live.receive(message, worker);
  };
  const report = (): void => {
    clearTimeout(timer);
    timer = undefined;
    systems.sweep();
    for (const sender of runs.values()) {
      if (!sender.hasUpdates) continue;
      sender.hasUpdates = false;
      const { hash, chart } = sender.run.chart;
      hub.charts.add(hash, chart);
      for (const parts of sender.messages(info, () => true))
        receive(JSON.parse(textOf(parts)) as WorkerToHub);
    }
  };
  /** Ends the connection, and nothing else, where something cannot be shown. */
  const orClose = (work: () => void): void => {
    try {
      work();
    } catch {
      socket.close(4400, "Invalid message");
    }
  };
  const actors = new StatelyActors();
  const systems = new ActorSystems({
    added: (actor) => runs.set(actor.runId, new RunSender(actor)),
    changed: (runId) => {
      const sender = runs.get(runId);
      if (sender) sender.hasUpdates = true;
      timer ??= setTimeout(() => orClose(report), UPDATE_INTERVAL_MS);
    },
    dropped: (runId) => {
      runs.delete(runId);
      receive({ type: "gone", runId });
    },
    keep: undefined,
    redact: undefined,
  });

  guardSocket(socket)(); // it sends no hello: its address has the token
  socket.on("message", (data) =>
    orClose(() => {
      const message: unknown = JSON.parse(String(data as Buffer));
      if (!isWithin(message, MAX_DEPTH)) throw new Error("a message is nested too deeply");
      for (const event of actors.take(message)) systems.observe(event);
    }),
  );
  socket.on("close", () => {
    orClose(report);
    hub.live.disconnected(worker);
  });
}
