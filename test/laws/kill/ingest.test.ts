import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ingest, sqliteKnowledge } from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";

test("an ingest that is killed again and again goes on, and ends as one that was not", async () => {
  const root = mkdtempSync(join(tmpdir(), "agentchart-killed-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const [folder, file, ledger] = [join(root, "manuals"), join(root, "a.db"), join(root, "ledger")];
  mkdirSync(folder);
  for (let n = 0; n < 3; n++) {
    const facts = Array.from({ length: 150 }, (_, m) => `# H${m}\n\nFact ${m} of document ${n}.`);
    writeFileSync(join(folder, `${n}.md`), facts.join("\n"));
  }
  const worker = join(import.meta.dirname, "ingest-worker.ts");
  const run = (dieAfter: number) =>
    spawnSync(
      process.execPath,
      ["--conditions=agentchart-source", worker, folder, file, ledger, String(dieAfter)],
      {
        encoding: "utf8",
      },
    );
  let lives = 1;
  let last = run(1);
  for (; last.signal === "SIGKILL" && lives < 20; lives++) last = run(1);
  expect([last.status, last.stderr.replaceAll(/.*Warning.*\n/gu, "")]).toEqual([0, ""]);
  expect(lives).toBeGreaterThan(5);

  // Nothing was embedded twice, and what is there is what one undisturbed run makes of the folder.
  const embedded = readFileSync(ledger, "utf8").trim().split("\n");
  expect([embedded.length, new Set(embedded).size]).toEqual([450, 450]);
  const [survived, other] = [sqliteKnowledge({ path: file }), sqliteKnowledge({ path: join(root, "b.db") })];
  onTestFinished(async () => void (await Promise.all([survived.close(), other.close()])));
  await ingest({ store: other, path: folder, embed: hashingEmbedder(32) });
  for (const source of ["manuals/0.md", "manuals/1.md", "manuals/2.md"]) {
    const [one, two] = [await survived.find(source), await other.find(source)];
    expect({ ...one, at: 0, ids: one!.ids.toSorted() }).toEqual({ ...two, at: 0, ids: two!.ids.toSorted() });
  }
  const query = { text: "fact 149 of document 2", limit: 3 };
  expect(await survived.search(query)).toEqual(await other.search(query));
  expect(run(1_000).stdout).toContain('"unchanged":3');
});
