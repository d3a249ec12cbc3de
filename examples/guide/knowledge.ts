import { mkdirSync, writeFileSync } from "node:fs";
import { scriptedModel } from "agentchart/testing";

mkdirSync("manuals");
writeFileSync(
  "manuals/refunds.md",
  "# Refunds\n\nA refund takes five days.\n\n# Vouchers\n\nA voucher is valid for a year.",
);
writeFileSync("manuals/运费.txt", "订单满五十欧元免运费。");

const model = scriptedModel([
  "Five days.",
  { calls: [{ name: "retrieve_knowledge", input: { query: "免运费" } }] },
  "满五十欧元。",
]);

// #region knowledge
import { createAgent } from "agentchart";
import { ingest, knowledge, sqliteKnowledge } from "agentchart/knowledge";

const store = sqliteKnowledge({ path: "./manuals.db" });
const { added, skipped } = await ingest({ store, path: "./manuals" });
console.log(added, skipped);

const desk = createAgent({ name: "desk", model, hooks: [knowledge({ store })] });
const { text, sources } = await desk.call("How long do refunds take?");
console.log(text, sources?.[0]?.document);
console.log(model.requests[0]!.messages.at(-1)!.content[0]);
// #endregion

// #region agentic
const searcher = createAgent({ name: "searcher", model, hooks: [knowledge({ store, mode: "agentic" })] });
console.log((await searcher.call("免运费的条件是什么？")).text);
console.log(model.requests.at(-1)!.messages.at(-1)!.content[0]);
await store.close();
// #endregion
