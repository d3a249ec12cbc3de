import type { WebSocket } from "ws";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import type { Hub } from "./hub.ts";
import type { ConnectedWorker } from "./live-run.ts";
import { checkWorkerMessage } from "./check-message.ts";
import { guardSocket } from "./guard-socket.ts";
import type { TokenRefusal } from "./token-gate.ts";

/** Serves the connection to a process that runs agents. `refusalOf` judges the token of its `hello`. */
export function serveWorker(
  socket: WebSocket,
  hub: Hub,
  refusalOf: (token: unknown) => TokenRefusal | undefined,
): void {
  let worker: ConnectedWorker | undefined;
  const helloReceived = guardSocket(socket);
  const send = (message: HubToWorker): void => socket.send(JSON.stringify(message));

  const welcome = (message: WorkerToHub): void => {
    const refusal = refusalOf(message.type === "hello" ? message.token : undefined);
    if (message.type !== "hello" || refusal) return socket.close(4_000 + refusal!.status, refusal!.reason);
    if (message.proto !== PROTOCOL) return socket.close(4406, `This hub speaks version ${PROTOCOL}`);
    helloReceived();
    const { worker: id, pid } = message;
    worker = { id, pid, send: (cmd) => send({ type: "cmd", cmd }) };
    for (const { hash, chart } of message.charts) hub.charts.add(hash, chart);
    hub.workers.connected(worker);
    send({ type: "welcome", proto: PROTOCOL, version: hub.version, have: hub.live.have(worker.id) });
  };

  socket.on("message", (data) => {
    try {
      const message = JSON.parse(String(data as Buffer)) as WorkerToHub;
      checkWorkerMessage(message);
      if (!worker) return welcome(message);
      hub.workers.heard(worker);
      if (message.type === "ack") hub.acknowledged(message.ack);
      else if (message.type === "chart") hub.charts.add(message.hash, message.chart);
      else hub.live.receive(message, worker);
    } catch {
      socket.close(4400, "Invalid message");
    }
  });
  socket.on("pong", () => worker && hub.workers.heard(worker));
  socket.on("close", () => {
    if (!worker) return;
    hub.live.disconnected(worker);
    hub.workers.disconnected(worker);
    hub.workerDisconnected(worker);
  });
}
