import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import { ANSWER, FOUND, QUESTION, SYSTEM, TOOL } from "../work.mjs";
const QUEUE = "turns",
  VERSION = "1";
const logger = { info() {}, debug() {}, warn() {}, error: (...of) => console.error("dbos", ...of) };
export const needs = "postgres";
export async function prepare({ url }) {
  await DBOS.migrate(url);
}
export async function dispatcher({ url }) {
  const client = await DBOSClient.create({ systemDatabaseUrl: url });
  return {
    dispatch: (id) =>
      client.enqueue(
        { queueName: QUEUE, workflowName: "turn", workflowID: id, appVersion: VERSION },
        id,
        QUESTION(id),
      ),
    close: () => client.destroy(),
  };
}
export async function work(orders, at) {
  const { url, concurrency, pollMs, executor } = orders;
  DBOS.setConfig({
    name: "fleet",
    systemDatabaseUrl: url,
    applicationVersion: VERSION,
    executorID: executor,
    logger,
  });
  DBOS.registerWorkflow(
    async (id, question) => {
      const messages = [
        { role: "system", content: SYSTEM },
        { role: "user", content: question },
      ];
      messages.push(
        await DBOS.runStep(
          async () => {
            at.asked(id);
            return {
              role: "assistant",
              tool_calls: [{ id: `call_${id}`, name: TOOL.name, arguments: JSON.stringify(TOOL.args) }],
            };
          },
          { name: "model" },
        ),
      );
      messages.push(
        await DBOS.runStep(async () => ({ role: "tool", content: await at.tool(id) }), { name: "tool" }),
      );
      messages.push(
        await DBOS.runStep(
          async () => {
            return { role: "assistant", content: ANSWER };
          },
          { name: "model" },
        ),
      );
      at.ended(id);
      return messages.at(-1).content;
    },
    { name: "turn" },
  );
  await DBOS.launch();
  await DBOS.registerQueue(QUEUE, {
    workerConcurrency: concurrency,
    ...(pollMs && { minPollingIntervalMs: pollMs }),
  });
  return () => DBOS.shutdown();
}
export const settled = async (orders, sql) =>
  Number((await sql(`SELECT count(*) n FROM dbos.workflow_status WHERE status = 'SUCCESS'`))[0].n);
export async function verify(orders, sql, ids) {
  const rows =
    await sql(`SELECT w.workflow_uuid id, o.output answer, i.inputs question, string_agg(s.output, ' ' ORDER BY s.function_id) steps, count(*) c
    FROM dbos.workflow_status w JOIN dbos.workflow_input i USING (workflow_uuid) JOIN dbos.workflow_output o USING (workflow_uuid) JOIN dbos.operation_outputs s USING (workflow_uuid)
    WHERE w.status = 'SUCCESS' GROUP BY 1, 2, 3`);
  const known = new Map(rows.map((row) => [row.id, row]));
  return ids.filter((id) => {
    const r = known.get(id);
    return (
      r?.c >= 3 && r.answer.includes(ANSWER) && r.question.includes(QUESTION(id)) && r.steps.includes(FOUND)
    );
  }).length;
}
