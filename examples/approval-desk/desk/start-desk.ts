import { createServer, serve } from "agentchart/server";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { addPage } from "./add-page.ts";
import { buildPage } from "./build-page.ts";
import { DeskFolder } from "./desk-folder.ts";
import { startPostgres } from "./start-postgres.ts";
import { startWorker, type DeskWorker, type LogLine } from "./start-worker.ts";

export type DeskOptions = {
  /** Where the desk keeps its token, its port and its Postgres: one that is started there again goes on. It is made if it does not
   *  exist. */
  readonly folder: string;
  /** Connection string of the database; default: a Postgres of its own in the folder. */
  readonly databaseUrl?: string;
  /** Port of the server; default: that of the last time, else a free one. */
  readonly port?: number;
  /** Number of worker processes; default 2. */
  readonly workers?: number;
  /** Called with each line that a worker logs. */
  readonly onLog?: (worker: string, line: LogLine) => void;
};

export type Desk = {
  readonly url: string;
  /** The address of the page, with its token. */
  readonly link: string;
  readonly token: string;
  readonly workers: readonly DeskWorker[];
  /** Lets the workers save, then stops everything. Pass `signal` if the terminal has already sent it to all processes. */
  close(signal?: "SIGINT" | "SIGTERM"): Promise<void>;
};

/** Starts the refunds desk: a database, workers, and the server with its page. */
export async function startDesk(options: DeskOptions): Promise<Desk> {
  const { workers: count = 2, onLog = () => {} } = options;
  const folder = new DeskFolder(options.folder);
  const { token, password } = folder.secrets;
  const { port = folder.secrets.port ?? 0 } = options;
  /** Stopped in reverse order. */
  const parts: { close(): Promise<void> }[] = [];
  const workers: DeskWorker[] = [];
  const close: Desk["close"] = async (signal = "SIGTERM") => {
    for (const worker of workers) worker.kill(signal);
    await Promise.all(workers.map(({ ended }) => ended));
    for (const part of parts.toReversed()) await part.close();
  };
  const kept = <T extends { close(): Promise<void> }>(part: T): T => {
    parts.push(part);
    return part;
  };
  try {
    const building = buildPage();
    building.catch(() => {}); // heard of when it is awaited
    const url = options.databaseUrl ?? kept(await startPostgres(folder.postgres, password)).connectionString;
    const store = kept(postgresStore({ connectionString: url }));
    const queue = kept(bullQueue({ postgres: url }));
    await queue.stats(); // the tables are there before the workers come
    const names = Array.from({ length: count }, (_, index) => `worker ${index + 1}`);
    const started = names.map((name) => startWorker(name, url, (line) => onLog(name, line)));
    workers.push(...(await allOf(started)));
    const app = createServer({
      dispatcher: createDispatcher({ store, queue }),
      store,
      tokens: [{ tenant: "desk", scopes: ["read", "write", "decide"], token }],
      ready: () => queue.stats(),
    });
    const served = kept(await serve(addPage(app, await building), { port }));
    folder.keepPort(Number(new URL(served.url).port));
    return { url: served.url, link: `${served.url}/#token=${token}`, token, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As Promise.all, but if one fails to start, the others are stopped. */
async function allOf(started: readonly Promise<DeskWorker>[]): Promise<DeskWorker[]> {
  const settled = await Promise.allSettled(started);
  const up = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = settled.find((each) => each.status === "rejected");
  if (!failed) return up;
  for (const worker of up) worker.kill("SIGTERM");
  throw failed.reason;
}
