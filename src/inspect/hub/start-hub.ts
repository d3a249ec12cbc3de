import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import packageJson from "agentchart/package.json" with { type: "json" };
import { WebSocketServer } from "ws";
import { agentMachine } from "../../../machines/agent/agent.machine.ts";
import { chartHash } from "../../diagram/chart-hash.ts";
import { chartJson } from "../../diagram/chart-json.ts";
import { AgentError, messageOf } from "../../base/error.ts";
import { readAddressFile } from "../protocol/address.ts";
import type { SessionStore } from "../../store/port.ts";
import { removeAddress, writeAddress } from "./address-on-disk.ts";
import { Charts } from "./charts.ts";
import { openFile } from "./file-run.ts";
import { httpApp } from "./http-app.ts";
import { Hub } from "./hub.ts";
import type { OpenRun } from "./open-run.ts";
import { pageFolder } from "./page-files.ts";
import { PageSocket } from "./page-socket.ts";
import { doorsOf, refusalOf } from "./security.ts";
import { StoreRuns } from "./store-runs.ts";
import { serveWorker } from "./worker-socket.ts";

export type HubStart = {
  /** Default: one that is free. */
  readonly port?: number;
  /** Default 127.0.0.1. Another address lets other machines in: whoever has the link sees everything. */
  readonly host?: string;
  /** Its sessions can be looked at too. The caller closes it. */
  readonly store?: SessionStore;
  /** Exported runs and sessions to look at. */
  readonly files?: readonly string[];
  /** Refuses every command. */
  readonly readonly?: boolean;
  /** Where `.agentchart/inspect.json` is written for `inspect: "auto"`; default: the user's home. */
  readonly home?: string;
};

export type StartedHub = {
  /** Without the token: "http://127.0.0.1:4000". */
  readonly url: string;
  /** What a person opens: the address with the token, which no request ever carries in its path. */
  readonly link: string;
  /** The token of pages. */
  readonly token: string;
  /** What `createAgent({ inspect })` takes. */
  readonly workerUrl: string;
  /** Ends all connections and removes what it wrote. */
  close(): Promise<void>;
};

const TOKEN_BYTES = 24;
const PAGE_MESSAGE = 1_000_000;
const WORKER_MESSAGE = 32_000_000;

/** Starts the visualizer's server. Rejects `config/invalid` if the address cannot be bound, and what a damaged file gives. */
export async function startHub(options: HubStart = {}): Promise<StartedHub> {
  const { host = "127.0.0.1", port = 0, store, files = [], home } = options;
  const own = { hash: chartHash(agentMachine), chart: chartJson(agentMachine) };
  const charts = new Charts(own);
  void charts.get(own.hash); // so that it is laid out when somebody looks
  const opened = new Map<string, OpenRun>();
  for (const path of files) {
    const { run, chart } = await openFile(path, own);
    if (chart) charts.take(chart.hash, chart.chart);
    opened.set(run.row.runId, run);
  }
  const hub = new Hub({
    version: packageJson.version,
    isReadonly: options.readonly ?? false,
    charts,
    files: opened,
    ...(store && { stored: new StoreRuns(store, own) }),
  });
  // A hub that was killed at this address left its file: the links to it stay good.
  const left = port === 0 ? undefined : await readAddressFile(home);
  const known = left?.url === urlOf(host, port) ? left : undefined;
  const token = known?.token || newToken();
  const workerToken = known?.workerToken || newToken();
  let doors = doorsOf(host, port);
  const app = httpApp({ doors: () => doors, token, runs: hub.runs, charts, pageFolder: pageFolder() });
  const server = createServer(getRequestListener(app.fetch) as Parameters<typeof createServer>[1] & object);
  const sockets = { "/ws": serverOf(PAGE_MESSAGE), "/worker": serverOf(WORKER_MESSAGE) };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {}); // whoever it was has gone
    const status = refusal(request, doors);
    if (status !== undefined) return refuse(socket, status);
    const path = new URL(request.url!, "http://hub").pathname as keyof typeof sockets;
    sockets[path].handleUpgrade(request, socket, head, (connection) => {
      if (path === "/worker") return serveWorker(connection, hub, workerToken);
      const page = new PageSocket(connection, hub, token);
      hub.addPage(page);
      connection.on("close", () => hub.removePage(page));
    });
  });

  const bound = await listen(server, host, port);
  doors = doorsOf(host, bound);
  const url = urlOf(host, bound);
  const address = { url, token, workerToken, pid: process.pid };
  await writeAddress(address, home);
  return {
    url,
    link: `${url}/#t=${token}`,
    token,
    workerUrl: `${url}#w=${workerToken}`,
    async close() {
      await removeAddress(address, home);
      hub.close();
      for (const each of Object.values(sockets)) for (const client of each.clients) client.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

function urlOf(host: string, port: number): string {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${shown}:${port}`;
}

function serverOf(maxPayload: number): WebSocketServer {
  return new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: true });
}

function refusal(request: IncomingMessage, doors: Parameters<typeof refusalOf>[1]): number | undefined {
  try {
    return refusalOf(request, doors);
  } catch {
    return 400;
  }
}

function refuse(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(
        new AgentError("config/invalid", `The hub cannot listen on ${host}:${port}: ${messageOf(error)}`, {
          cause: error,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
