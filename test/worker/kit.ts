import { onTestFinished } from "vitest";
import { textOf, toolResultsOf, type ChatModel, type Msg, type SessionStore } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import {
  createDispatcher,
  createWorker,
  inProcessQueue,
  type Dispatcher,
  type WakeQueue,
  type Worker,
  type WorkerEvent,
  type WorkerOptions,
} from "agentchart/worker";

/** The text of the newest user message. */
export const lastSaid = (messages: readonly Msg[]): string =>
  textOf(messages.findLast(({ role }) => role === "user")!);

/** A model that is a function of the history: `call NAME` asks for that tool until it has a result, else it echoes. */
export const echoModel: ChatModel = {
  name: "echo",
  async *stream({ messages, tools }) {
    const from = messages.findLastIndex(({ role }) => role === "user");
    const results = messages.slice(from).flatMap(toolResultsOf);
    const said = lastSaid(messages);
    const [verb, ...names] = said.split(" ");
    if (verb === "call" && results.length === 0 && tools.length > 0) {
      for (const [key, name] of names.entries())
        yield { type: "tool.delta", key, id: `${name}-${messages.length}`, name, args: "{}" };
    } else {
      const text =
        results.length > 0 ? results.map(({ output }) => textOf({ content: output } as never)).join() : said;
      yield { type: "text.delta", delta: `echo: ${text}` };
    }
    yield { type: "finish", reason: "stop" };
  },
};

export type Bench = {
  readonly store: SessionStore;
  readonly queue: WakeQueue;
  readonly dispatcher: Dispatcher;
  readonly worker: Worker;
  readonly events: WorkerEvent[];
};

type Options = Partial<WorkerOptions> & { readonly isIdle?: boolean };

/** A worker with its dispatcher, closed when the test is over. */
export async function bench({ isIdle = false, ...options }: Options = {}): Promise<Bench> {
  const { store = memoryStore(), queue = inProcessQueue() } = options;
  const worker = createWorker({
    queue,
    store,
    agents: { echo: () => ({ name: "echo", model: echoModel }) },
    leaseMs: 10_000,
    pollMs: 50,
    sweepMs: 100,
    retryMs: 20,
    ...options,
  });
  const events: WorkerEvent[] = [];
  worker.subscribe((event) => events.push(event));
  onTestFinished(async () => {
    await worker.close({ deadlineMs: 500 });
    if (!options.queue) await queue.close();
    if (!options.store) await store.close();
  });
  if (!isIdle) await worker.start();
  return { store, queue, dispatcher: createDispatcher({ queue, store }), worker, events };
}

/** The events of one kind. */
export function ofType<T extends WorkerEvent["type"]>(
  { events }: Pick<Bench, "events">,
  type: T,
): Extract<WorkerEvent, { readonly type: T }>[] {
  return events.filter((event) => event.type === type) as never;
}
