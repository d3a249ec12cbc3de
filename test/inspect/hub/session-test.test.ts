// A test that is made of a stored session: it passes with the same agent, and fails with another one.
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent, defineTool, type AgentConfig } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel } from "agentchart/testing";
import { expect, onTestFinished, test } from "vitest";
import { testOfSession } from "../../../src/inspect/hub/session-test.ts";
import { KINDS, record } from "../../testing/replay/recorded-kinds.ts";
import { testHome, testHub } from "../../support/hub-page.ts";
import { ROOT } from "../../project/source-files.ts";
import { scratch } from "../../store/scratch.ts";

/** The agent of the test, as the file that exports it says. */
const agentsFile = (prompt: string): string => `import { defineTool } from "agentchart";
import { scriptedModel } from "agentchart/testing";
const refund = defineTool({
  name: "refund",
  description: "Refunds an order.",
  input: { type: "object", properties: { order: { type: "integer" } } },
  execute: () => { throw new Error("A test must not act."); },
});
export default { desk: () => ({ name: "desk", sysPrompt: ${JSON.stringify(prompt)}, model: scriptedModel([]), tools: [refund] }) };
`;

/** A folder in which Vitest finds this package and itself. */
function project(): string {
  const { dir, remove } = scratch();
  onTestFinished(remove);
  mkdirSync(join(dir, "node_modules"));
  symlinkSync(ROOT, join(dir, "node_modules/agentchart"));
  symlinkSync(join(ROOT, "node_modules/vitest"), join(dir, "node_modules/vitest"));
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  const conditions = '["agentchart-source", "module", "node", "development|production"]';
  writeFileSync(
    join(dir, "vitest.config.mjs"),
    `export default {
      resolve: { conditions: ${conditions} },
      ssr: { resolve: { conditions: ${conditions} } },
      test: { isolate: false, fileParallelism: false },
    };`,
  );
  return dir;
}

const runTests = (dir: string): Promise<{ readonly code: number; readonly output: string }> =>
  new Promise((resolve) => {
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const env = { ...process.env, NO_COLOR: "1" };
    execFile(process.execPath, [vitest, "run", "--root", dir], { cwd: dir, env }, (error, stdout, stderr) =>
      resolve({ code: error ? 1 : 0, output: stdout + stderr }),
    );
  });

async function recorded() {
  const store = memoryStore();
  const refund = defineTool({
    name: "refund",
    description: "Refunds an order.",
    input: { type: "object", properties: { order: { type: "integer" } } },
    execute: () => "paid back */ `${x}` </script>",
  });
  const agent = createAgent({
    name: "desk",
    sysPrompt: "Help.",
    tools: [refund],
    store,
    sessionId: "refund-17",
    model: scriptedModel([{ calls: [{ name: "refund", input: { order: 17 } }] }, "It is paid back."]),
  } as unknown as AgentConfig);
  await agent.call("Refund 17 */ \n`");
  await agent.close();
  return store;
}

test("the file runs and passes, and fails where the agent does otherwise", async () => {
  const store = await recorded();
  const dir = project();
  writeFileSync(join(dir, "refund.test.ts"), await testOfSession(store, "refund-17"));
  const run = async (prompt: string) => {
    writeFileSync(join(dir, "agents.ts"), agentsFile(prompt));
    return runTests(dir);
  };
  const same = await run("Help.");
  expect(same.code, same.output).toBe(0);
  expect(same.output).toContain("1 passed");
  const other = await run("Refuse.");
  expect(other.code).toBe(1);
  expect(other.output).toContain("Refuse.");
});

test("the files of runs of all kinds pass, and fail with another prompt", async () => {
  const dir = project();
  for (const kind of Object.keys(KINDS)) {
    const store = memoryStore();
    const sessionId = await record(store, kind);
    writeFileSync(join(dir, `${sessionId}.test.ts`), await testOfSession(store, sessionId));
  }
  const kinds = join(ROOT, "test/testing/replay/recorded-kinds.ts");
  const run = async (prompt: string) => {
    const text = `import { agentsWith } from ${JSON.stringify(kinds)};\nexport default agentsWith("${prompt}");\n`;
    writeFileSync(join(dir, "agents.ts"), text);
    return runTests(dir);
  };
  const count = Object.keys(KINDS).length;
  const same = await run("Help.");
  expect(same.output).toMatch(new RegExp(`Tests +${count} passed`));
  expect(same.code).toBe(0);
  expect((await run("Refuse.")).output).toMatch(new RegExp(`Tests +${count} failed`));
});

test("a hub hands it out, and a session with secrets makes none", async () => {
  const store = await recorded();
  const hub = await testHub({ home: testHome(), store });
  const ask = (id: string): Promise<Response> =>
    fetch(`${hub.url}/api/runs/${id}/test`, { headers: { authorization: `Bearer ${hub.token}` } });
  expect(await (await ask("refund-17")).text()).toBe(await testOfSession(store, "refund-17"));
  expect((await ask("nobody")).status).toBe(404);
  const agent = createAgent({
    name: "desk",
    store,
    sessionId: "secret",
    model: scriptedModel([{ calls: [{ name: "log_in", input: { password: "hunter2" } }] }, "Done."]),
    tools: [
      defineTool({ name: "log_in", description: "Logs in.", input: { type: "object" }, execute: () => "ok" }),
    ],
  } as unknown as AgentConfig);
  await agent.call("Log in.");
  await agent.close();
  await expect(testOfSession(store, "secret")).rejects.toMatchObject({ code: "session/redacted" });
  expect((await ask("secret")).status).toBe(400);
});
