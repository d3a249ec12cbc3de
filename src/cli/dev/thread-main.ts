import process from "node:process";
import { parentPort, workerData } from "node:worker_threads";
import { loadClient } from "../../agent/inspect.ts";
import { hideSecrets, secretsOf } from "../../core/base/secrets.ts";
import { tryAgents } from "../../worker/make-config.ts";
import { createWorker } from "../../worker/worker.ts";
import { errorMessage, stackTrace } from "../error-message.ts";
import { openStore } from "../open-store.ts";
import { importFile } from "../import-file.ts";
import { muteWarnings } from "../mute-warnings.ts";
import { failedText, loadAgents, withOptions } from "../workers/load-agents.ts";
import { logWorker } from "../workers/log-worker.ts";
import type { Log } from "../workers/open-log.ts";
import { openTelemetry } from "../workers/open-telemetry.ts";
import { aboutAgents } from "./about-agents.ts";
import { reportLoadedFiles } from "./loaded-files.ts";
import { warmUp } from "./warm-up.ts";
import type { FromThread, ThreadData, ToThread } from "./thread-messages.ts";
import { ThreadQueue } from "./thread-queue.ts";

/** The interval at which the inbox of a running turn is read, should a signal of this process be lost, ms. */
const POLL_MS = 60_000;

const data = workerData as ThreadData;
const { env } = process;
const secrets = secretsOf([data.store], env);
const send = (message: FromThread): void => parentPort!.postMessage(message, []);
const log: Log = {
  write: (level, event, fields) => send({ type: "log", level, event, fields: { ...fields } }),
  error: ({ code, message }) => ({ code, message: hideSecrets(message, secrets) }),
};

async function run(): Promise<void> {
  reportLoadedFiles((file) => send({ type: "file", ...file }));
  const agents = await loadAgents(data.file);
  const names = Object.keys(agents);
  const about = aboutAgents((await importFile(data.file, "agents"))["about"], names, data.file);
  const telemetry = await openTelemetry(env, log);
  const store = await openStore(data.store);
  const queue = new ThreadQueue(data.queue);
  const worker = createWorker({
    queue,
    store,
    agents: telemetry.observed(withOptions(agents, { inspect: data.inspect })),
    pollMs: POLL_MS,
  });
  logWorker(worker, log);
  const closing = Promise.withResolvers<number>();
  parentPort!.on("message", ({ deadlineMs }: ToThread) => closing.resolve(deadlineMs));
  const [failed] = await Promise.all([tryAgents(agents), worker.start(), warmUp(), loadClient(data.inspect)]);
  const problems = failed.map((each) => hideSecrets(failedText(each), secrets));
  send({ type: "ready", agents: names, about, problems });
  await worker.close({ deadlineMs: await closing.promise });
  await queue.close();
  await store.close();
  await telemetry.close();
}

try {
  muteWarnings();
  await run();
} catch (error) {
  send({
    type: "failed",
    message: hideSecrets(errorMessage(error), secrets),
    stack: hideSecrets(stackTrace(error), secrets),
  });
}
// What the agents' file has opened would keep the thread alive. In a thread this ends the thread, not the process.
process.exit(0);
