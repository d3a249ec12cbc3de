// The desk of the examples, with a schema of its own in Postgres for each run: what one run refunds, the next one could not.
import { createHash } from "node:crypto";
import { Client } from "pg";
import type { CrashScenario } from "agentchart/testing";
import type { RefundLedger } from "../../../../examples/approval-desk/tools/refund-ledger.ts";

const { DESK_CRASH_URL: server = "", AGENTCHART_CRASHTEST: folder = "" } = process.env;

/** The address of the schema of a run, which is made if it is not there. */
async function addressOf(run: string): Promise<string> {
  const schema = `run_${createHash("sha256").update(run).digest("hex").slice(0, 16)}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  await client.query(`create schema if not exists ${schema}`);
  await client.end();
  const url = new URL(server);
  url.searchParams.set("options", `-csearch_path=${schema}`);
  return url.href;
}

async function ledgerOf(run: string): Promise<RefundLedger> {
  const { refundLedger } = await import("../../../../examples/approval-desk/tools/refund-ledger.ts");
  return refundLedger(await addressOf(run));
}

if (folder !== "") process.env["DATABASE_URL"] = await addressOf(folder);
process.env["DESK_PACE_MS"] = "0";
const { default: agents } = await import("../../../../examples/approval-desk/agents.ts");
export default agents;

export const scenario: CrashScenario = {
  input: ["Order 1001 arrived broken, I want my money back.", "Thank you."],
  async effects({ folder: run }) {
    const ledger = await ledgerOf(run);
    const refunds = await ledger.all();
    await ledger.close();
    return refunds.map(({ orderId, cents }) => ({ orderId, cents }));
  },
};
