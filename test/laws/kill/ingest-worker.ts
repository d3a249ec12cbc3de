import { appendFileSync } from "node:fs";
import { ingest, sqliteKnowledge } from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";

const [, , folder, file, ledger, dieAfter] = process.argv;
const embedder = hashingEmbedder(32);
const store = sqliteKnowledge({ path: file! });
let calls = 0;

/** As the embedder, but the texts are noted, and the process dies in the middle of a call. */
const embed: typeof embedder.embed = async (texts, options) => {
  if (++calls > Number(dieAfter)) process.kill(process.pid, "SIGKILL");
  appendFileSync(ledger!, texts.map((text) => `${JSON.stringify(text)}\n`).join(""));
  return embedder.embed(texts, options);
};
const result = await ingest({ store, path: folder!, embed: { ...embedder, embed } });
await store.close();
process.stdout.write(JSON.stringify(result));
