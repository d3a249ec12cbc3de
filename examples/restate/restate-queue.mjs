/**
 * A queue of wake-ups over Restate, for createWorker and createDispatcher. A session is a virtual object of Restate: its handler `wake`
 * runs once at a time, and Restate delivers it again when its process has died. The work itself is in the store.
 */
import { EventEmitter } from "node:events";
import http2 from "node:http2";
import { setTimeout as sleep } from "node:timers/promises";
import * as restate from "@restatedev/restate-sdk";
import { AgentError } from "agentchart";

const MAX_PRIORITY = 2_097_152;
/** Restate ends a handler that is silent for longer, and calls it again: longer than any turn. */
const SILENT_FOR = { days: 1 };
/** Restate delivers what waits one by one: a new consumer lets it come, ms, to begin with what is most urgent. */
const GATHER_MS = 500;

const isIndex = (value, max = Number.MAX_SAFE_INTEGER) =>
  Number.isInteger(value) && value >= 0 && value <= max;

// Restate takes the keys of objects from paths of URLs; ids of sessions may have any characters.
const keyOf = (sessionId) => Buffer.from(sessionId).toString("hex");
const sessionOf = (key) => Buffer.from(key, "hex").toString();

async function ask(url, body) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch((cause) => {
    throw new AgentError("queue/failed", "Restate cannot be reached.", { cause, isRetryable: true });
  });
  if (!answer.ok) throw new AgentError("queue/failed", `Restate has answered ${answer.status}.`);
  return answer.text().then((text) => (text === "" ? undefined : JSON.parse(text)));
}

/**
 * Connects this process with Restate. `ingress` and `admin` are its addresses; `name` is the name of the virtual object. A worker also
 * serves the handlers: on `port`, which Restate reaches as `url`. A process that only dispatches passes `serves: false`.
 */
export async function restateTransport({
  ingress,
  admin,
  name = "agentchart-session",
  serves = true,
  host = "127.0.0.1",
  port = 0,
  url,
}) {
  const consumers = new Set();
  /** The wake-ups that Restate has delivered to this process, and that no handler has taken yet. */
  const waiting = [];
  const running = new Set();
  const signals = new EventEmitter().setMaxListeners(0);
  let count = 0;

  function takeNext() {
    waiting.sort(
      (one, other) => one.priority - other.priority || one.sentAt - other.sentAt || one.n - other.n,
    );
    for (const consumer of consumers) {
      for (let free = consumer.concurrency - consumer.running; free > 0; free--) {
        const next = waiting.findIndex(({ sessionId }) => !running.has(sessionId));
        if (next < 0) return;
        void run(consumer, waiting.splice(next, 1)[0]);
      }
    }
  }

  async function run(consumer, { sessionId, dueAt, priority, done }) {
    const startedAt = Date.now();
    consumer.running++;
    running.add(sessionId);
    try {
      await consumer.handler({ sessionId, dueAt, priority });
    } catch (error) {
      consumer.onError?.(error);
    }
    running.delete(sessionId);
    consumer.running--;
    done(startedAt);
    if (consumer.running === 0) consumer.whenIdle?.();
    takeNext();
  }

  const session = restate.object({
    name,
    options: { inactivityTimeout: SILENT_FOR, abortTimeout: SILENT_FOR },
    handlers: {
      async wake(ctx, { sentAt, dueAt, priority }) {
        // A run that began after the wake-up was sent has seen its input.
        if (sentAt <= ((await ctx.get("startedAt")) ?? -1)) return;
        const startedAt = await ctx.run("wake", async () => {
          const { promise, resolve } = Promise.withResolvers();
          waiting.push({ sessionId: sessionOf(ctx.key), sentAt, dueAt, priority, n: count++, done: resolve });
          takeNext();
          return promise;
        });
        ctx.set("startedAt", startedAt);
      },
    },
  });

  let server;
  if (serves) {
    server = http2.createServer(restate.createEndpointHandler({ services: [session] }));
    await new Promise((resolve) => server.listen(port, host, resolve));
    const uri = url ?? `http://${host}:${server.address().port}`;
    await ask(`${admin}/deployments`, { uri, force: true });
  }

  function open() {
    const own = new Set();
    let isClosed = false;
    const check = () => {
      if (isClosed) throw new AgentError("queue/failed", "The queue is closed.");
    };
    const closeConsumer = (consumer) => {
      consumers.delete(consumer);
      own.delete(consumer);
      if (consumer.running === 0) return Promise.resolve();
      return new Promise((resolve) => (consumer.whenIdle = resolve));
    };
    return {
      async wake(sessionId, { priority = 0, delayMs = 0 } = {}) {
        if (!isIndex(priority, MAX_PRIORITY) || !isIndex(delayMs))
          throw new AgentError("config/invalid", "`priority` and `delayMs` are integers of at least 0.");
        check();
        const dueAt = Date.now() + delayMs;
        const sentAt = dueAt + (count++ % 1_000) / 10_000; // later than a run of the same millisecond
        const delay = delayMs > 0 ? `?delay=${delayMs}ms` : "";
        await ask(`${ingress}/${name}/${keyOf(sessionId)}/wake/send${delay}`, {
          sentAt,
          dueAt,
          priority,
        });
      },
      consume(handler, { concurrency = 1, onError } = {}) {
        const consumer = { handler, concurrency, onError, running: 0 };
        own.add(consumer);
        const gathered = sleep(GATHER_MS).then(() => {
          if (own.has(consumer)) consumers.add(consumer);
          takeNext();
        });
        return {
          async ready() {
            check();
            await gathered;
          },
          close: () => closeConsumer(consumer),
        };
      },
      publish(sessionId, signal) {
        if (!isClosed) signals.emit(sessionId, JSON.stringify(signal));
      },
      async subscribe(sessionId, listener) {
        check();
        const hear = (text) => {
          try {
            listener(JSON.parse(text));
          } catch {} // one listener does not affect others
        };
        signals.on(sessionId, hear);
        return () => void signals.off(sessionId, hear);
      },
      async stats() {
        check();
        const query = `select status, count(*) as n from sys_invocation where target_service_name = '${name}' group by status`;
        const { rows } = await ask(`${admin}/query`, { query });
        const sum = (...names) =>
          rows.reduce((total, { status, n }) => (names.includes(status) ? total + Number(n) : total), 0);
        const active = running.size;
        const due = sum("running", "pending", "ready", "backing-off", "suspended");
        return { waiting: Math.max(0, due - active), active, delayed: sum("scheduled") };
      },
      async close() {
        isClosed = true;
        await Promise.all([...own].map(closeConsumer));
      },
    };
  }

  return {
    open,
    /** Stops to serve: Restate delivers what waits here to another worker. */
    async close() {
      server?.close();
      server?.closeAllConnections?.();
    },
  };
}
