// The examples of the guide run and print what their pages say.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatCompletionsServer, type ChatCompletionsServer } from "agentchart/testing";
import { ROOT } from "../project/source-files.ts";
import { BARE_ENV } from "../support/bare-env.ts";
import { examplesOf, pagesWithExamples, withBlocks } from "../support/doc-blocks.ts";

const pages = pagesWithExamples
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") }))
  .filter(({ path, text }) => path !== "README.md" && examplesOf(text).length > 0);

/** Stands in for a provider: calls the first tool that is offered, then says what the tool returned. */
let provider: ChatCompletionsServer;
beforeAll(async () => {
  provider = await chatCompletionsServer(({ messages, tools }) => {
    const last = messages.at(-1)!;
    if (last.role === "tool" || !tools) return { content: `It was ${String(last.content)}.` };
    return {
      tool_calls: [{ function: { name: tools[0]!.function.name, arguments: '{"orderId":"17"}' } }],
    };
  });
});
afterAll(() => provider.close());

/** What an example prints when it runs alone in an empty folder. */
async function outputOf(file: string): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), "agentchart-guide-"));
  const env = { ...BARE_ENV, OPENAI_API_KEY: "sk-none", OPENAI_BASE_URL: provider.baseURL };
  const args = ["--conditions=agentchart-source", join(ROOT, file)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env });
  rmSync(cwd, { recursive: true, force: true });
  return stdout;
}

// `npx vitest run test/examples/guide.test.ts -u` writes what the examples print into the pages.
test.for(pages)("the examples in $path run, and print what the page says", async ({ path, text }) => {
  const outputs = new Map<string, string>();
  for (const file of examplesOf(text)) outputs.set(file, await outputOf(file));
  await expect(withBlocks(text, outputs)).toMatchFileSnapshot(join(ROOT, path));
});
