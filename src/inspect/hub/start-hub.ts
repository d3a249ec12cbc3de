import packageJson from "agentchart/package.json" with { type: "json" };
import * as s from "../../core/base/option-schema.ts";
import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";
import { getRequestListener } from "@hono/node-server";
import { WebSocketServer } from "ws";
import { configError, messageOf } from "../../core/base/error.ts";
import { check } from "../../core/base/options.ts";
import { readAddressFile, addressFilePath, type AddressFile } from "../protocol/hub-address.ts";
import type { SuspicionCheck } from "../suspicions/suspicion.ts";
import { suspicionSchema } from "../suspicions/suspicion-schema.ts";
import type { SessionStore } from "../../store/port.ts";
import { ChartRegistry } from "./chart-registry.ts";
import { openFile } from "./file-run.ts";
import { httpApp } from "./http-app.ts";
import { Hub } from "./hub.ts";
import type { OpenRun } from "./open-run.ts";
import { pageFolder } from "./page-files.ts";
import { openMachines } from "./machine-file.ts";
import { PageSocket } from "./page-socket.ts";
import { accessPolicy, refusalOf, type AccessPolicy } from "./access-policy.ts";
import { storeSchema } from "../../store/store-schema.ts";
import { readReportFile, type StoredReport } from "./report-files.ts";
import { RunSuspicions } from "./run-suspicions.ts";
import { StoreRuns } from "./store-runs.ts";
import { TokenGate } from "./token-gate.ts";
import { serveStately } from "./stately-socket.ts";
import { serveWorker } from "./worker-socket.ts";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** Options of {@link startHub}. */
export type StartHubOptions = {
  /** The port. Default: a free port. */
  readonly port?: number | undefined;
  /**
   * The address to bind. Default "127.0.0.1". Other addresses let other machines in: everyone with the link
   * sees everything.
   */
  readonly host?: string | undefined;
  /** A store whose sessions are displayed too. The caller closes it. */
  readonly store?: SessionStore | undefined;
  /** Paths of exported runs and sessions to display, of reports as JSON, and of machines of XState. Reports are of evaluations and
   *  experiments. A machine is a configuration as JSON, as Stately exports it, or in a module, which is loaded; its machines do not run. */
  readonly files?: readonly string[] | undefined;
  /** If true, every command is refused. Default false. */
  readonly readonly?: boolean | undefined;
  /** The checks of runs beside the built-in checks (`SUSPICIONS`). One with the name of a built-in check replaces it. */
  readonly suspicions?: readonly SuspicionCheck[] | undefined;
  /**
   * The directory for `.agentchart/inspect.json`, which `inspect: "auto"` reads. Default: the user's home
   * directory.
   */
  readonly home?: string | undefined;
};

/** The schema of {@link StartHubOptions}. */
export const startHubSchema = s.lazily(() =>
  s.options<StartHubOptions>({
    port: s.optional(s.port()),
    host: s.optional(s.nonEmpty("an address")),
    store: s.optional(storeSchema()),
    files: s.optional(s.listOf(s.nonEmpty("the path of a file"))),
    readonly: s.optional(s.boolean()),
    suspicions: s.optional(s.listOf(suspicionSchema())),
    home: s.optional(s.nonEmpty("the path of a directory")),
  }),
);

/** A hub that is running. */
export type StartedHub = {
  /** The address without a token: "http://127.0.0.1:4000". */
  readonly url: string;
  /** The link to open in a browser: the address with the token in its fragment, which no request contains. */
  readonly link: string;
  /** The token of pages. */
  readonly token: string;
  /** The address for `createAgent({ inspect })`, with the token of workers. */
  readonly workerUrl: string;
  /** The address for `inspector` of `agentchart/inspect/browser`, with the same token as `statelyUrl`, which may do nothing but report. */
  readonly browserUrl: string;
  /**
   * The address for `createWebSocketInspector({ url })` of `@statelyai/inspect`, with a token that may do nothing but report:
   * "ws://127.0.0.1:4000/stately?t=…".
   */
  readonly statelyUrl: string;
  /** The address for `createBrowserInspector({ url })` of `@statelyai/inspect`: a window that hands on what it is told, with the same token. */
  readonly statelyPageUrl: string;
  /** Closes all connections and removes the address file. */
  close(): Promise<void>;
};

const TOKEN_BYTES = 24;
/** The maximum sizes of a message from a page and from a worker, in bytes. */
const MAX_PAGE_MESSAGE = 1_000_000;
const MAX_WORKER_MESSAGE = 32_000_000;

/** Starts the inspector's server; see `startHub` of `agentchart/inspect`. */
export async function startHub(options: StartHubOptions = {}): Promise<StartedHub> {
  check(startHubSchema(), options, "startHub");
  const { host = "127.0.0.1", port = 0, store, files = [], home } = options;
  const charts = new ChartRegistry();
  const opened = new Map<string, OpenRun>();
  const reports: StoredReport[] = [];
  for (const path of files) {
    const report = await readReportFile(path);
    if (report) reports.push(report);
    if (report) continue;
    for (const { run, chart } of (await openMachines(path)) ?? [await openFile(path)]) {
      if (chart) charts.add(chart.hash, chart.chart);
      opened.set(run.row.runId, run);
    }
  }
  const suspicions = new RunSuspicions(options.suspicions);
  const hub = new Hub({
    suspicions,
    version: packageJson.version,
    isReadonly: options.readonly ?? false,
    charts,
    files: opened,
    ...(store && { stored: new StoreRuns(store) }),
  });
  // A hub that was killed at this address has left its file: its tokens are reused, so that old links work.
  const previous = port === 0 ? undefined : await readAddressFile(home);
  const reused = previous?.url === urlOf(host, port) ? previous : undefined;
  const token = reused?.token || newToken();
  const workerToken = reused?.workerToken || newToken();
  let policy = accessPolicy(host, port);
  const reportToken = createHash("sha256").update(`stately ${workerToken}`).digest("base64url");
  const gates = {
    page: new TokenGate(token),
    worker: new TokenGate(workerToken),
    reports: new TokenGate(reportToken),
  };
  const app = httpApp({
    policy: () => policy,
    gate: gates.page,
    runs: hub.runs,
    suspicions,
    charts,
    pageFolder: pageFolder(),
    labels: hub.labels,
    store,
    isReadonly: hub.isReadonly,
    reports,
  });
  const server = createServer(getRequestListener(app.fetch) as Parameters<typeof createServer>[1] & object);
  const sockets = {
    "/ws": socketServer(MAX_PAGE_MESSAGE),
    "/worker": socketServer(MAX_WORKER_MESSAGE),
    "/browser": socketServer(MAX_WORKER_MESSAGE),
    "/stately": socketServer(MAX_WORKER_MESSAGE),
  };
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on("error", () => {}); // the client has disconnected
    const status = refusal(request, policy);
    if (status !== undefined) return refuse(socket, status);
    const { pathname, searchParams } = new URL(request.url!, "http://hub");
    const path = pathname as keyof typeof sockets;
    sockets[path].handleUpgrade(request, socket, head, (connection) => {
      const { remoteAddress } = request.socket;
      const judgedBy = (gate: TokenGate) => (given: unknown) => gate.refusal(given, remoteAddress);
      if (path === "/worker") return serveWorker(connection, hub, judgedBy(gates.worker));
      if (path === "/browser") return serveWorker(connection, hub, judgedBy(gates.reports), true);
      if (path === "/stately") {
        const refused = judgedBy(gates.reports)(searchParams.get("t"));
        return refused
          ? connection.close(4_000 + refused.status, refused.reason)
          : serveStately(connection, hub);
      }
      const page = new PageSocket(connection, hub, judgedBy(gates.page));
      hub.addPage(page);
      connection.on("close", () => hub.removePage(page));
    });
  });

  const close = async (): Promise<void> => {
    hub.close();
    for (const each of Object.values(sockets)) for (const client of each.clients) client.terminate();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const begin = async (): Promise<AddressFile> => {
    const bound = await listen(server, host, port);
    policy = accessPolicy(host, bound);
    const address = { url: urlOf(host, bound), token, workerToken, pid: process.pid };
    await writeAddress(address, home);
    return address;
  };
  const address = await begin().catch(async (error: unknown) => {
    await close();
    throw error;
  });
  const { url } = address;
  return {
    url,
    link: `${url}/#t=${token}`,
    token,
    workerUrl: `${url}#w=${workerToken}`,
    browserUrl: `${url}#w=${reportToken}`,
    statelyUrl: `${url.replace("http", "ws")}/stately?t=${reportToken}`,
    statelyPageUrl: `${url}/stately#t=${reportToken}`,
    async close() {
      try {
        await removeAddress(address, home);
      } finally {
        await close();
      }
    },
  };
}

function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString("base64url");
}

/** The address of a server that is bound to a host, as this machine reaches it. */
export function urlOf(host: string, port: number | string): string {
  const name = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${port}`;
}

function socketServer(maxPayload: number): WebSocketServer {
  return new WebSocketServer({ noServer: true, maxPayload, perMessageDeflate: false, clientTracking: true });
}

function refusal(request: IncomingMessage, policy: AccessPolicy): number | undefined {
  try {
    return refusalOf(request, policy);
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
        configError(`The hub cannot listen on ${host}:${port}: ${messageOf(error)}`, {
          cause: error,
        }),
      ),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}

/**
 * Writes the address of the hub, readable for its owner only. The last hub that was started is the one that
 * agents find.
 */
async function writeAddress(address: AddressFile, home?: string): Promise<void> {
  const file = addressFilePath(home);
  const part = `${file}.${process.pid}.part`;
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await rm(part, { force: true });
    await writeFile(part, `${JSON.stringify(address)}\n`, { mode: 0o600, flag: "wx" });
    await rename(part, file);
  } catch (cause) {
    throw configError(`The hub cannot write its address to ${file}: ${messageOf(cause)}`, { cause });
  }
}

/** Removes the address, unless another hub has written its own. */
async function removeAddress({ workerToken }: AddressFile, home?: string): Promise<void> {
  const current = await readAddressFile(home);
  if (current?.workerToken === workerToken) await rm(addressFilePath(home), { force: true });
}
