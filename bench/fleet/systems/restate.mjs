// A virtual object per session, whose state is the history; ctx.run for model, tool, model. All workers listen on one port (SO_REUSEPORT).
import http2 from "node:http2";
import * as restate from "@restatedev/restate-sdk";
import { ANSWER, FOUND, QUESTION, TOOL } from "../work.mjs";
export const needs = "restate";
export async function prepare() {}
export async function dispatcher({ ingress }) {
  return {
    async dispatch(id) {
      const r = await fetch(`${ingress}/session/${id}/turn/send`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(QUESTION(id)),
      });
      if (!r.ok) throw new Error(await r.text());
      await r.arrayBuffer();
    },
    async close() {},
  };
}
export async function work(orders, at) {
  const session = restate.object({
    name: "session",
    handlers: {
      turn: async (ctx, question) => {
        const id = ctx.key;
        const messages = [...((await ctx.get("messages")) ?? []), { role: "user", content: question }];
        messages.push(
          await ctx.run("model", async () => {
            at.asked(id);
            return {
              role: "assistant",
              tool_calls: [{ id: `call_${id}`, name: TOOL.name, arguments: JSON.stringify(TOOL.args) }],
            };
          }),
        );
        messages.push(await ctx.run("tool", async () => ({ role: "tool", content: await at.tool(id) })));
        messages.push(
          await ctx.run("model", async () => {
            return { role: "assistant", content: ANSWER };
          }),
        );
        ctx.set("messages", messages);
        at.ended(id);
        return messages.at(-1).content;
      },
    },
  });
  const server = http2.createServer(restate.createEndpointHandler({ services: [session] }));
  await new Promise((resolve) =>
    server.listen({ port: orders.port, host: "127.0.0.1", reusePort: true }, resolve),
  );
  return async () => server.close();
}
export async function register({ admin, port }) {
  const r = await fetch(`${admin}/deployments`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  });
  if (!r.ok) throw new Error(await r.text());
}
const query = async ({ admin }, text) =>
  (
    await (
      await fetch(`${admin}/query`, {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json" },
        body: JSON.stringify({ query: text }),
      })
    ).json()
  ).rows;
export const settled = async (orders) =>
  Number((await query(orders, `select count(*) as n from sys_invocation where status = 'completed'`))[0].n);
export async function verify(orders, sql, ids) {
  const rows = await query(
    orders,
    `select service_key as id, value_utf8 as t from state where service_name = 'session'`,
  );
  const known = new Map(rows.map(({ id, t }) => [id, t]));
  return ids.filter((id) => [ANSWER, FOUND, QUESTION(id)].every((text) => known.get(id)?.includes(text)))
    .length;
}
