// A process that is killed while it ingests documents.
import type { ChildProcess } from "node:child_process";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteKnowledge } from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";
import { start } from "../../cli/agentchart.ts";

const embedder = hashingEmbedder(32);

/** A server with the embeddings API. Of the process `victim` it answers the first request only: at the second it kills it. It notes the
 *  texts that it has answered. */
async function deadlyServer() {
  const embedded: string[] = [];
  const state: { victim?: ChildProcess | undefined; requests: number } = { requests: 0 };
  const server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { readonly input: readonly string[] };
    if (++state.requests > 1 && state.victim) return void state.victim.kill("SIGKILL");
    embedded.push(...input);
    const vectors = await embedder.embed(input, {
      signal: new AbortController().signal,
      kind: "document",
    });
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void (server.closeAllConnections(), server.close()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { embedded, state, url };
}

test("`agentchart knowledge add` that is killed again and again goes on, and ends as one that was not", async () => {
  const root = mkdtempSync(join(tmpdir(), "agentchart-killed-"));
  const [folder, file] = [join(root, "manuals"), join(root, "a.db")];
  mkdirSync(folder);
  for (let n = 0; n < 3; n++) {
    const facts = Array.from({ length: 150 }, (_, m) => `# H${m}\n\nFact ${m} of document ${n}.`);
    writeFileSync(join(folder, `${n}.md`), facts.join("\n"));
  }
  const { embedded, state, url } = await deadlyServer();
  const server = ["--embed", "stand-in", "--dimensions", "32", "--base-url", url];
  const add = async (isVictim: boolean, store = file) => {
    const run = start(["knowledge", "add", folder, "--store", store, ...server]);
    Object.assign(state, { requests: 0, victim: isVictim ? run.child : undefined });
    const { code, stdout } = await run.finished;
    return { wasKilled: run.child.signalCode === "SIGKILL", code, stdout };
  };
  let lives = 1;
  let last = await add(true);
  for (; last.wasKilled && lives < 20; lives++) last = await add(true);
  expect(last.code).toBe(0);
  expect(lives).toBeGreaterThan(5);

  // Nothing was embedded twice, and what is there is what one undisturbed run makes of the folder.
  expect([embedded.length, new Set(embedded).size]).toEqual([450, 450]);
  const whole = join(root, "b.db");
  await add(false, whole);
  const [survived, other] = [sqliteKnowledge({ path: file }), sqliteKnowledge({ path: whole })];
  onTestFinished(async () => void (await Promise.all([survived.close(), other.close()])));
  for (const source of ["manuals/0.md", "manuals/1.md", "manuals/2.md"]) {
    const [one, two] = [(await survived.find(source))!, (await other.find(source))!];
    expect({ ...one, at: 0, ids: one.ids.toSorted() }).toEqual({ ...two, at: 0, ids: two.ids.toSorted() });
  }
  const query = { text: "fact 149 of document 2", limit: 3 };
  expect(await survived.search(query)).toEqual(await other.search(query));
  expect(JSON.parse((await add(false)).stdout)).toMatchObject({ added: [], unchanged: 3 });
});
