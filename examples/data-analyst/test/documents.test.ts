import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent } from "agentchart";
import { DOCUMENT_INSTRUCTIONS, openDocuments } from "../demo/open-documents.ts";
import { openModel } from "../demo/open-model.ts";
import { readOptions } from "../demo/options.ts";
import { runDemo } from "../demo/run-demo.ts";
import { temporaryFolder } from "./fixture.ts";

const MANUALS = {
  "refunds.md":
    "# Refunds\n\nA refund takes five days. Vouchers cannot be refunded.\n\n# Contact\n\nCall us on weekdays.",
  "shipping.html":
    "<h1>Shipping</h1><p>Shipping is free above 50 euros.</p><p>Parcels are sent from Ghent.</p>",
  "配送.txt": "订单满五十欧元免运费。\n包裹从根特寄出。",
};

function manuals(files: { readonly [name: string]: string } = MANUALS): string {
  const folder = join(temporaryFolder(), "manuals");
  mkdirSync(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** Runs the demo in this process, without a key: its exit code, and what it printed. */
async function demo(...args: readonly string[]) {
  let [stdout, stderr] = ["", ""];
  const code = await runDemo(args, {
    stdout: { isTTY: false, write: (text) => (stdout += text) },
    stderr: { isTTY: false, write: (text) => (stderr += text) },
    env: {},
    onInterrupt: () => () => {},
    exit: () => {},
  });
  return { code, stdout, stderr };
}

describe("the demo with documents", { timeout: 120_000 }, () => {
  test.each([
    ["How long does a refund take?", "A refund takes five days. [manuals/refunds.md]"],
    ["From where are parcels sent?", "Parcels are sent from Ghent. [manuals/shipping.html]"],
    ["满多少欧元免运费？", "订单满五十欧元免运费。 [manuals/配送.txt]"],
  ])("%s", async (question, answer) => {
    const { code, stdout, stderr } = await demo("--docs", manuals(), question);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Documents: .*manuals: 3 documents, 4 passages$/m);
    expect(stdout).toContain("→ retrieve_knowledge");
    expect(stdout).toContain(`\n${answer}\n`);
    expect(stdout).not.toContain("describe_database");
  });

  test("says so if the documents do not have the answer, and what could not be read", async () => {
    const folder = manuals({ ...MANUALS, "broken.pdf": "no PDF" });
    const { code, stdout } = await demo("--docs", folder, "Who painted the bicycle?");
    expect(code).toBe(0);
    expect(stdout).toContain("I found nothing in the documents that answers this.");
    expect(stdout).toMatch(/manuals\/broken\.pdf was left out: .*cannot be read/);
  });

  test("asks the data if the documents do not have the answer", async () => {
    const csv = join(temporaryFolder(), "my.csv");
    writeFileSync(csv, "town;paid\nOslo;1,5\nRome;2,25\nOslo;3\n");
    const out = join(temporaryFolder(), "out");
    const { code, stdout, stderr } = await demo(
      ...["--docs", manuals(), "--csv", csv, "--out", out, "total paid by town"],
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/→ retrieve_knowledge[^]*→ describe_database[^]*→ create_report/);
    expect(stdout).toContain("- Oslo: total paid 4.5");
    expect(stdout).not.toContain("I found nothing");
  });

  test("refuses a folder without documents, and what does not go with documents", async () => {
    const empty = await demo("--docs", temporaryFolder(), "What?");
    expect(empty.code).toBe(1);
    expect(empty.stderr).toMatch(/^Error: There is no text, Markdown, HTML or PDF/);
    expect((await demo("--docs", join(temporaryFolder(), "none"), "What?")).stderr).toContain(
      "no folder or file",
    );
    for (const args of [["--crash"], ["--workers", "2"]])
      expect(() => readOptions(["--docs", "d", "q", ...args])).toThrow("--docs");
    expect(() => readOptions(["--docs", "d"])).toThrow("--docs needs a question");
  });
});

test("the tool fails in words, and the stand-in passes them on", async () => {
  const documents = await openDocuments(manuals());
  const { model, close } = await openModel({ kind: "standIn" }, 0);
  const agent = createAgent({
    name: "reader",
    model,
    sysPrompt: DOCUMENT_INSTRUCTIONS,
    hooks: documents.hooks,
  });
  await documents.close();
  expect((await agent.call("How long does a refund take?")).text).toMatch(
    /^I could not look into the documents: Failed to retrieve knowledge/,
  );
  await close();
});
