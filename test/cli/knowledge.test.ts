// The commands of `knowledge`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sqliteKnowledge } from "agentchart/knowledge";
import type { CommandDefinition, Handler, Input } from "../../src/cli/define-command.ts";
import { addCommand, listCommand, removeCommand, searchCommand } from "../../src/cli/knowledge/commands.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

/** A folder of documents, the path of a store, and what runs a command on it: its exit code, and what it printed. */
function fixture(isTTY = false) {
  const root = mkdtempSync(join(tmpdir(), "agentchart-knowledge-"));
  const folder = join(root, "manuals");
  mkdirSync(folder);
  writeFileSync(
    join(folder, "faq.md"),
    "# Refunds\n\nA refund takes five days.\n\n# 运费\n\n满五十欧元免运费。",
  );
  for (let n = 0; n < 19; n++) writeFileSync(join(folder, `note-${n}.txt`), `Note number ${n}.`);
  const store = join(root, "of", "manuals.db");
  const run = async <D extends CommandDefinition>(
    handler: Handler<D>,
    args: { readonly [name: string]: string },
    flags: object = {},
  ) => {
    let [out, err] = ["", ""];
    const output = { isTTY, write: (text: string) => void (out += text) };
    const terminal = openTerminal(output, { isTTY, write: (text) => void (err += text) }, { NO_COLOR: "1" });
    const given = { json: false, all: false, prune: false, size: 1_000, limit: 5, store, ...flags };
    const io = { stdout: output, terminal, env: {}, exit: () => {} };
    const code = await handler({ args, flags: given } as unknown as Input<D>, io);
    return { code, out, err };
  };
  return { run, root, folder, store };
}

/** A server with the embeddings API: the vectors are of the lengths of the texts. */
async function embeddingsServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { readonly input: readonly string[] };
    const data = input.map((text, index) => ({ index, embedding: [text.length, 1, 1] }));
    response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test("knowledge add reads a folder once, shows how far it is in plain lines, and prints what it did", async () => {
  const { run, folder } = fixture();
  const first = await run(addCommand, { path: folder });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.out)).toMatchObject({ unchanged: 0, passages: 21, skipped: [] });
  expect(first.err.split("\n")).toHaveLength(11);
  expect(first.err).toMatch(/^2 of 20 documents, 3 passages\n[^]*20 of 20 documents, 21 passages\n$/);
  const again = await run(addCommand, { path: folder });
  expect(JSON.parse(again.out)).toMatchObject({ added: [], unchanged: 20, passages: 0 });
});

test("knowledge add draws a bar in a terminal, names what it leaves out, and says so with its exit code", async () => {
  const { run, folder } = fixture(true);
  writeFileSync(join(folder, "broken.pdf"), "no PDF");
  const { code, out, err } = await run(addCommand, { path: folder });
  expect(code).toBe(1);
  expect(out).toBe("Added 20 documents with 21 new passages; 0 were there already, 0 removed, 1 left out.\n");
  expect(err).toContain("\r\u001b[K███████████░░░░░░░░░░░░░ 10/21 documents");
  expect(err.split("\u001b[K").at(-1)).toMatch(/^manuals\/broken\.pdf was left out: .*cannot be read.*\n$/);
  for (const line of err.split("\r")) expect(line.length).toBeLessThan(600);
});

test("knowledge search, ls and rm", async () => {
  const { run, folder, store } = fixture(true);
  await run(addCommand, { path: folder });
  const { out } = await run(searchCommand, { query: "运费" });
  expect(out).toMatch(/^SCORE +SOURCE +PASSAGE\n1\.000 +manuals\/faq\.md +运费 满五十欧元免运费。\n$/);
  expect((await run(searchCommand, { query: "bicycle" })).err).toContain("Nothing was found.");
  expect((await run(listCommand, {})).out).toMatch(/^DOCUMENT +PASSAGES +AT\nmanuals\/faq\.md +2 +2/);
  expect((await run(removeCommand, { source: "manuals/faq.md" })).out).toBe("Deleted 2 passages.\n");
  await expect(run(removeCommand, { source: "manuals/faq.md" })).rejects.toMatchObject({
    code: "config/invalid",
  });
  await expect(run(removeCommand, {})).rejects.toThrow("either a document or --all");
  expect((await run(removeCommand, {}, { all: true })).out).toBe("Deleted 19 passages.\n");
  expect((await run(listCommand, {})).err).toContain("There are no documents.");
  const opened = sqliteKnowledge({ path: store });
  onTestFinished(() => opened.close());
  expect((await opened.documents()).documents).toEqual([]);
});

test("knowledge commands with an embedding model ask its server", async () => {
  const { run, folder } = fixture();
  const flags = { embed: "stand-in", dimensions: 3, baseUrl: await embeddingsServer() };
  expect((await run(addCommand, { path: folder }, flags)).code).toBe(0);
  const { out } = await run(searchCommand, { query: "zzz" }, { ...flags, json: true, limit: 2 });
  expect(out.trim().split("\n")).toHaveLength(2);
  await expect(run(addCommand, { path: folder })).rejects.toMatchObject({ code: "config/invalid" });
});

test("knowledge commands refuse an unknown store, one that is not there, and no folder", async () => {
  const { run, root } = fixture();
  for (const store of ["redis://localhost", join(root, "none.db")])
    await expect(async () => run(listCommand, {}, { store })).rejects.toThrow(/store|knowledge/);
  await expect(run(addCommand, { path: join(root, "none") })).rejects.toMatchObject({
    code: "config/invalid",
  });
});
