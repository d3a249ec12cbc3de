import type { WebSocket } from "ws";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import type { Hub } from "./hub.ts";
import type { Worker } from "./live-run.ts";
import { isSameToken } from "./security.ts";
import { watchSocket } from "./watch-socket.ts";

/** Talks with a process that runs agents, until it goes. */
export function serveWorker(socket: WebSocket, hub: Hub, token: string): void {
  let worker: Worker | undefined;
  const greeted = watchSocket(socket);
  const say = (message: HubToWorker): void => socket.send(JSON.stringify(message));

  const begin = (message: WorkerToHub): void => {
    if (message.type !== "hello" || !isSameToken(message.token, token))
      return socket.close(4401, "Wrong token");
    if (message.proto !== PROTOCOL) return socket.close(4406, `This hub speaks version ${PROTOCOL}`);
    greeted();
    const { worker: id, pid } = message;
    worker = { id, pid, send: (cmd) => say({ type: "cmd", cmd }) };
    for (const { hash, chart } of message.charts) hub.charts.take(hash, chart);
    hub.workers.joined(worker);
    say({ type: "welcome", proto: PROTOCOL, version: hub.version, have: hub.live.have(worker.id) });
  };

  socket.on("message", (data) => {
    try {
      const message = JSON.parse(String(data as Buffer)) as WorkerToHub;
      if (!worker) return begin(message);
      hub.workers.heard(worker);
      if (message.type === "ack") hub.acknowledged(message.ack);
      else if (message.type === "chart") hub.charts.take(message.hash, message.chart);
      else hub.live.take(message, worker);
    } catch {
      socket.close(4400, "Not understood");
    }
  });
  socket.on("pong", () => worker && hub.workers.heard(worker));
  socket.on("close", () => {
    if (!worker) return;
    hub.live.lost(worker);
    hub.workers.lost(worker);
    hub.workerLost(worker);
  });
}
