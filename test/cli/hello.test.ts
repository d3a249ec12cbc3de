// The shortest examples: they run as their first line says.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { chatCompletionsServer } from "../../src/testing/chat-completions-server.ts";
import { BARE_ENV } from "../support/bare-env.ts";

// Every test starts a process, on machines that are busy with other tests.

const HELLO = fileURLToPath(new URL("../../examples/hello.ts", import.meta.url));

test("examples/hello.ts asks the model, runs its tool and prints the answer", async () => {
  const server = await chatCompletionsServer(({ messages }) => {
    const last = messages.at(-1)!;
    return last.role === "tool"
      ? { content: `In Tokyo it is ${last.content as string}` }
      : { tool_calls: [{ function: { name: "clock", arguments: '{"timeZone":"Asia/Tokyo"}' } }] };
  });
  const env = { ...BARE_ENV, OPENAI_API_KEY: "sk-none-1234", OPENAI_BASE_URL: server.baseURL };
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=agentchart-source", HELLO], {
    env,
  });
  await server.close();
  expect(stdout).toMatch(/^In Tokyo it is \d\d\/\d\d\/\d{4}, \d\d:\d\d:\d\d\n$/);
  expect(server.requests).toHaveLength(2);
});

test.each(["hello", "stately-inspect"])(
  "the first line of examples/%s.ts is the command that runs it without a build",
  (name) => {
    const [first] = readFileSync(join(dirname(HELLO), `${name}.ts`), "utf8").split("\n");
    expect(first).toContain(`npx node --conditions=agentchart-source examples/${name}.ts`);
  },
);

test("examples/hello.ts is at most 15 lines long", () => {
  expect(readFileSync(HELLO, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(15);
});
