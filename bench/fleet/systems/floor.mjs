// The floor: a job of BullMQ, a loop of ten lines, two rows of Postgres per turn. It takes no lease, and a turn that was cut off starts anew.
import pg from "pg";
import { ANSWER, FOUND, QUESTION, SYSTEM, TOOL } from "../work.mjs";
import { consume, openQueue, prepareQueue } from "./bull.mjs";
export const needs = "postgres";
export async function prepare(orders) {
  await prepareQueue(orders);
  const pool = new pg.Pool({ connectionString: orders.url });
  await pool.query(
    `CREATE SCHEMA app; CREATE TABLE app.messages (session_id text, n bigint GENERATED ALWAYS AS IDENTITY, data json NOT NULL, PRIMARY KEY (session_id, n))`,
  );
  await pool.end();
}
export async function dispatcher(orders) {
  const queue = await openQueue(orders);
  return { dispatch: (id) => queue.add(id), close: queue.close };
}
export async function work(orders, at) {
  const pool = new pg.Pool({ connectionString: orders.url });
  const append = (id, messages) =>
    pool.query(`INSERT INTO app.messages (session_id, data) VALUES ($1, $2)`, [id, JSON.stringify(messages)]);
  const model = async (id, messages) => {
    const isFirst = messages.at(-1).role === "user";
    if (isFirst) at.asked(id);

    return isFirst
      ? {
          role: "assistant",
          tool_calls: [{ id: `call_${id}`, name: TOOL.name, arguments: JSON.stringify(TOOL.args) }],
        }
      : { role: "assistant", content: ANSWER };
  };
  const close = await consume(orders, at, async (id) => {
    const messages = [{ role: "system", content: SYSTEM }];
    const from = messages.length;
    messages.push({ role: "user", content: QUESTION(id) });
    const call = await model(id, messages);
    messages.push(call, { role: "tool", tool_call_id: call.tool_calls[0].id, content: await at.tool(id) });
    await append(id, messages.slice(from));
    const answer = await model(id, messages);
    await append(id, [answer]);
  });
  return async () => {
    await close();
    await pool.end();
  };
}
export async function settled() {
  return Infinity;
} // "ended" is said when the job is completed in the database
export async function verify(orders, sql, ids) {
  const rows = await sql(
    `SELECT session_id id, json_agg(data ORDER BY n)::text t, count(*) c FROM app.messages GROUP BY 1`,
  );
  const known = new Map(rows.map((row) => [row.id, row]));
  return ids.filter(
    (id) =>
      known.get(id)?.c >= 2 && [ANSWER, FOUND, QUESTION(id)].every((text) => known.get(id).t.includes(text)),
  ).length;
}
