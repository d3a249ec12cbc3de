import type { WebSocket } from "ws";
import { chartHash } from "../../core/diagram/chart-hash.ts";
import type { Chart } from "../../core/diagram/chart-json.ts";
import { refused } from "../protocol/command-outcome.ts";
import { PROTOCOL, type HubToWorker, type WorkerToHub } from "../protocol/protocol.ts";
import type { Hub } from "./hub.ts";
import type { ConnectedWorker } from "./live-run.ts";
import { checkWorkerMessage } from "./check-message.ts";
import { guardSocket } from "./guard-socket.ts";
import type { TokenRefusal } from "./token-gate.ts";

/** The id of a run that an observed page reports. */
const PAGE_RUN = /^[\da-f]{8}\.\d+$/;

/** Throws for a message of an observed page that is not about actors of its own. Its token lets it do nothing but report them. */
function checkPage(message: WorkerToHub, { live }: Hub, { id }: ConnectedWorker): void {
  if (message.type === "ack") throw new Error("a page takes no commands");
  if (message.type !== "run") return;
  const { runId, actor, can, worker = { id } } = message.row;
  if (!actor || can.length > 0 || message.pending.length > 0 || worker.id !== id || !PAGE_RUN.test(runId))
    throw new Error("a page reports actors");
  if (live.get(runId) && !live.isOf(runId, id)) throw new Error("another process reports this run");
}

/** Serves the connection to a process that runs agents, or to an observed page. `refusalOf` judges the token of its `hello`. */
export function serveWorker(
  socket: WebSocket,
  hub: Hub,
  refusalOf: (token: unknown) => TokenRefusal | undefined,
  isPage = false,
): void {
  let worker: ConnectedWorker | undefined;
  const helloReceived = guardSocket(socket);
  const send = (message: HubToWorker): void => socket.send(JSON.stringify(message));

  const addChart = (hash: string, chart: Chart): void => {
    // the chart of another machine, or that of agents, must not be replaced
    if (isPage && chartHash(chart) !== hash) throw new Error("a chart has another hash");
    hub.charts.add(hash, chart);
  };

  const welcome = (message: WorkerToHub): void => {
    const refusal = refusalOf(message.type === "hello" ? message.token : undefined);
    if (message.type !== "hello" || refusal) return socket.close(4_000 + refusal!.status, refusal!.reason);
    if (message.proto !== PROTOCOL) return socket.close(4406, `This hub speaks version ${PROTOCOL}`);
    const { worker: id, pid } = message;
    if (id.startsWith("page-") !== isPage) return socket.close(4400, "Invalid message");
    helloReceived();
    const noCommands = refused("unavailable", "A page that is observed takes no commands.");
    worker = {
      id,
      pid,
      send: isPage
        ? (cmd) => hub.acknowledged({ id: cmd.id, ...noCommands })
        : (cmd) => send({ type: "cmd", cmd }),
    };
    for (const { hash, chart } of message.charts) addChart(hash, chart);
    if (!isPage) hub.workers.connected(worker);
    send({ type: "welcome", proto: PROTOCOL, version: hub.version, have: hub.live.have(worker.id) });
  };

  socket.on("message", (data) => {
    try {
      const message = JSON.parse(String(data as Buffer)) as WorkerToHub;
      checkWorkerMessage(message);
      if (!worker) return welcome(message);
      if (isPage) checkPage(message, hub, worker);
      hub.workers.heard(worker);
      if (message.type === "ack") hub.acknowledged(message.ack);
      else if (message.type === "chart") addChart(message.hash, message.chart);
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
