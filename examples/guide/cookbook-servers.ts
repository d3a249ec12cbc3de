import { createAgent, defineTool, type AgentEvent } from "agentchart";
import { longTermMemory, memoryMemory } from "agentchart/memory";
import { createServer, serve, type ServerOptions } from "agentchart/server";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { createDispatcher, createWorker, inProcessQueue } from "agentchart/worker";

// The clock of the example, so that it need not wait until a morning: a Saturday.
let time = Date.parse("2026-05-30T12:00:00Z");
const backend = { store: memoryStore(), queue: inProcessQueue(), now: () => time };

// #region cron
const agents = {
  digest: () => ({ name: "digest", model: scriptedModel(["Nothing happened."]) }),
};
const schedules = {
  digest: {
    agent: "digest",
    input: "Write what happened since yesterday.",
    cron: "0 9 * * MON-FRI",
    timeZone: "Europe/Berlin",
  },
};
// two workers, of which one starts it
const workers = [1, 2].map(() => createWorker({ ...backend, agents, schedules, sweepMs: 10 }));
// #endregion
const written = Promise.withResolvers<void>();
for (const worker of workers) {
  worker.subscribe((event) => {
    if (event.type === "schedule.tick") console.log("started", event.sessionId);
    if (event.type === "turn.end") written.resolve();
  });
  await worker.start();
}
time = Date.parse("2026-06-01T07:00:00Z"); // 9:00 in Berlin, on Monday
await written.promise;
for (const worker of workers) await worker.close();

// #region memory
type Caller = { readonly tenant: string; readonly user: string };

const memories = memoryMemory(); // sqliteMemory or postgresMemory in production
const remember = longTermMemory({
  store: memories,
  mode: "static",
  scope({ context }) {
    const { tenant, user } = context as Caller;
    return `${tenant}/${user}`;
  },
});
const say = async (caller: Caller, text: string): Promise<number> => {
  const model = scriptedModel(["Noted."]);
  const agent = createAgent({ name: "desk", model, context: caller, hooks: [remember] });
  return (await agent.call(text)).sources?.length ?? 0; // how many memories were shown
};
await say({ tenant: "acme", user: "ada" }, "I like green tea.");
console.log(await say({ tenant: "acme", user: "ada" }, "Which tea do I like?"));
console.log(await say({ tenant: "globex", user: "ada" }, "Which tea do I like?"));
// #endregion

// #region tenants
const [acme, globex] = ["acme-token-0123456789", "globex-token-0123456789"]; // in production their hashes
const options = {
  dispatcher: createDispatcher(backend),
  store: backend.store,
  memory: memories,
  tokens: [
    { tenant: "acme", token: acme, scopes: ["read", "write"] },
    { tenant: "globex", token: globex, scopes: ["read"] },
  ],
} satisfies ServerOptions;
const { url, close } = await serve(createServer(options));
const as = (token: string) => ({ authorization: `Bearer ${token}`, "content-type": "application/json" });
for (const token of [acme, globex]) {
  const response = await fetch(`${url}/v1/memories/ada`, { headers: as(token) });
  const { memories } = (await response.json()) as { memories: { text: string }[] };
  console.log(memories.map(({ text }) => text));
}
// #endregion

// #region rate
const strict = createServer({ ...options, rateLimit: { perSecond: 0.1, burst: 2 } });
const list = async (token: string): Promise<number> =>
  (await strict.request("/v1/sessions", { headers: as(token) })).status;
console.log(await list(acme), await list(acme), await list(acme), await list(globex));
// #endregion

const look = defineTool({
  name: "look",
  description: "Looks at a train.",
  input: { type: "object" },
  execute: () => "on time",
});
const trains = () => ({
  name: "trains",
  model: scriptedModel([{ calls: [{ name: "look", input: {} }] }, "It is on time."]),
  tools: [look],
});
const worker = createWorker({ ...backend, agents: { trains } });
await worker.start();

// #region phone
const session = `${url}/v1/sessions/trip`;
await fetch(`${session}/messages`, {
  method: "POST",
  headers: { ...as(acme), "idempotency-key": "m1" }, // sent again, it is the same message
  body: JSON.stringify({ agent: "trains", input: "Is my train late?" }),
});

/** The stored events after the one that the phone has shown last. */
async function* eventsAfter(id: string): AsyncGenerator<{ id: string; event: AgentEvent }> {
  const response = await fetch(`${session}/events`, { headers: { ...as(acme), "last-event-id": id } });
  let text = "";
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
    const frames = (text + piece).split("\n\n");
    text = frames.pop()!;
    for (const frame of frames) {
      const [, id] = /^id: (.+)$/m.exec(frame) ?? [];
      if (id) yield { id, event: JSON.parse(/^data: (.+)$/m.exec(frame)![1]!) as AgentEvent };
    }
  }
}

let last = "0"; // keep it on the phone, beside what it has shown
for (let isOver = false; !isOver;) {
  const shown: string[] = [];
  for await (const { id, event } of eventsAfter(last)) {
    last = id;
    shown.push(event.type);
    isOver = event.type === "turn.end";
    if (isOver || shown.length === 3) break; // the connection is gone
  }
  console.log(shown.join(", "));
}
// #endregion
await worker.close();
await close();
await backend.queue.close();
