import { defineTool } from "agentchart";
import { postgresStore } from "agentchart/store/postgres";
import { bullQueue, createDispatcher, createWorker } from "agentchart/worker";
import { openSession } from "agentchart/session";
import { ANSWER, QUESTION, SYSTEM, TOOL } from "../work.mjs";

/** As a server reports it that is asked to; of one that does not, Agentchart counts the tokens itself. */
const USAGE = { inputTokens: 120, outputTokens: 20 };
const parts = ({ url }) => [postgresStore({ connectionString: url }), bullQueue({ postgres: url })];
export const needs = "postgres";
export async function prepare(orders) {
  const [store, queue] = parts(orders);
  await store.list();
  await queue.stats();
  await queue.close();
  await store.close();
}
export async function dispatcher(orders) {
  const [store, queue] = parts(orders);
  const d = createDispatcher({ store, queue });
  return {
    dispatch: (id) => d.dispatch(id, QUESTION(id), { agent: "desk" }),
    close: async () => {
      await queue.close();
      await store.close();
    },
  };
}
export async function work(orders, at) {
  const [store, queue] = parts(orders);
  const desk = ({ sessionId }) => ({
    name: "desk",
    sysPrompt: SYSTEM,
    model: {
      name: "instant",
      async *stream({ messages }) {
        const isFirst = messages.at(-1).role === "user";
        if (isFirst) at.asked(sessionId);

        if (isFirst)
          yield {
            type: "tool.delta",
            key: 0,
            id: `call_${sessionId}`,
            name: TOOL.name,
            args: JSON.stringify(TOOL.args),
          };
        else yield { type: "text.delta", delta: ANSWER };
        yield { type: "usage", usage: USAGE };
        yield { type: "finish", reason: isFirst ? "tool_calls" : "stop" };
      },
    },
    tools: [
      defineTool({
        name: TOOL.name,
        description: TOOL.description,
        idempotent: true,
        input: { type: "object", properties: { order: { type: "number" } }, required: ["order"] },
        execute: () => at.tool(sessionId),
      }),
    ],
  });
  const worker = createWorker({ store, queue, agents: { desk }, concurrency: orders.concurrency });
  worker.subscribe((event) => {
    if (event.type === "session.end") at.ended(event.sessionId);
    if (event.type === "error") console.error(event.error);
  });
  await worker.start();
  return async () => {
    await worker.close({ deadlineMs: 2_000 });
    await queue.close();
    await store.close();
  };
}
export const settled = async (orders, sql) =>
  Number(
    (await sql(`SELECT count(*) n FROM agentchart.sessions WHERE owner IS NULL AND phase = 'stopped'`))[0].n,
  );
export async function verify(orders, sql, ids) {
  const [store] = parts(orders);
  let good = 0;
  for (const id of ids) {
    const { messages } = await (await openSession(store, id)).messages();
    const roles = messages.map(({ role }) => role).join();
    if (
      roles.endsWith("user,assistant,tool,assistant") &&
      JSON.stringify(messages.at(-1)).includes(ANSWER) &&
      JSON.stringify(messages).includes(QUESTION(id))
    )
      good++;
    else if (good === 0) console.error(roles);
  }
  await store.close();
  return good;
}
