import { randomBytes } from "node:crypto";
import { createServer, serve } from "agentchart/server";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher } from "agentchart/worker";
import { addPage } from "./add-page.ts";
import { startPostgres } from "./start-postgres.ts";
import { startWorker, type DeskWorker, type LogLine } from "./start-worker.ts";

export type DeskOptions = {
  /** Where to keep everything; a Postgres of its own, gone with the desk, unless given. */
  readonly databaseUrl?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Default 2. */
  readonly workers?: number;
  /** Hears of what the workers do. */
  readonly onLog?: (worker: string, line: LogLine) => void;
};

export type Desk = {
  readonly url: string;
  /** Opens the page with the right to use it. */
  readonly link: string;
  readonly token: string;
  readonly workers: readonly DeskWorker[];
  /** Lets the workers save, and ends everything. `signal` is the one that came, if the terminal has sent it to all. */
  close(signal?: "SIGINT" | "SIGTERM"): Promise<void>;
};

/** Starts the refunds desk: a database, workers, and the server with its page. */
export async function startDesk(options: DeskOptions = {}): Promise<Desk> {
  const { port = 0, workers: count = 2, onLog = () => {} } = options;
  /** Ended in the opposite order. */
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
    const url = options.databaseUrl ?? kept(await startPostgres()).connectionString;
    const store = kept(postgresStore({ connectionString: url }));
    const queue = kept(bullQueue({ postgres: url }));
    await queue.stats(); // the tables are there before the workers come
    const names = Array.from({ length: count }, (_, index) => `worker ${index + 1}`);
    const started = names.map((name) => startWorker(name, url, (line) => onLog(name, line)));
    workers.push(...(await allOf(started)));
    const token = randomBytes(24).toString("base64url");
    const app = createServer({
      dispatcher: createDispatcher({ store, queue }),
      store,
      tokens: [{ tenant: "desk", scopes: ["read", "write", "decide"], token }],
      ready: () => queue.stats(),
    });
    const served = kept(await serve(addPage(app), { port }));
    return { url: served.url, link: `${served.url}/#token=${token}`, token, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As Promise.all, but those that started are ended if others did not. */
async function allOf(started: readonly Promise<DeskWorker>[]): Promise<DeskWorker[]> {
  const settled = await Promise.allSettled(started);
  const up = settled.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failed = settled.find((each) => each.status === "rejected");
  if (!failed) return up;
  for (const worker of up) worker.kill("SIGTERM");
  throw failed.reason;
}
