// Servers that do not start, break or offer nonsense.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createToolkit } from "agentchart";
import { mcp, type McpEvent, type McpOptions } from "agentchart/mcp";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { outputOf } from "../../support/agents.ts";
import { freePort } from "../../support/free-port.ts";

const PROGRAM = join(import.meta.dirname, "odd-server.mjs");

const program = (...args: string[]): McpOptions => ({
  name: "odd",
  command: process.execPath,
  args: [PROGRAM, ...args],
});
const site = async (response: () => Response): Promise<McpOptions> => {
  const { url, close } = await serve({ fetch: async () => response() });
  onTestFinished(close);
  return { name: "odd", url };
};
const listing = (...tools: readonly unknown[]): McpOptions =>
  program("sends invalid schemas", JSON.stringify({ tools }));

async function open(options: McpOptions) {
  const events: McpEvent[] = [];
  const server = await mcp({ ...options, onEvent: (event) => void events.push(event) });
  onTestFinished(() => server.close());
  return { server, events };
}

const schema = { type: "object", properties: { a: { type: "text" } } };

/** A server that cannot be used: what is wrong with it, and what to do. */
const BAD: readonly (readonly [string, () => McpOptions | Promise<McpOptions>, RegExp, RegExp])[] = [
  [
    "does not start",
    () => program("does not start"),
    /cannot be connected to/,
    /Does the command run in a terminal: .*odd-server\.mjs.*It wrote: no key/,
  ],
  [
    "is not a program",
    () => ({ name: "odd", command: "no-such-program" }),
    /cannot be connected to: spawn no-such-program ENOENT/,
    /Does the command run in a terminal: no-such-program\?/,
  ],
  [
    "speaks another protocol",
    () => ({ ...program("speaks another protocol"), initTimeoutMs: 300 }),
    /cannot be connected to: Request timed out/,
    /Does the command run in a terminal/,
  ],
  [
    "says nothing",
    () => ({ ...program("says nothing"), initTimeoutMs: 300 }),
    /cannot be connected to: Request timed out/,
    /Does the command run in a terminal/,
  ],
  [
    "speaks another revision",
    () => program("speaks another revision"),
    /cannot be connected to: .*1999-01-01/,
    /Does the command run in a terminal/,
  ],
  ["dies while it lists its tools", () => program("dies"), /does not list its tools/, /Does its list keep/],
  [
    "sends a list that is none",
    () => program("sends invalid schemas", JSON.stringify({ tools: "none" })),
    /does not list its tools/,
    /Does its list keep to the protocol\? Correct the server/,
  ],
  [
    "sends invalid schemas only",
    () => listing({ name: "a", inputSchema: schema }),
    /no tool that can be offered\. Of its tool 'a' .*\/properties\/a\/type has the value "text"/,
    /Correct the server, or leave it out with `optional: true`/,
  ],
  [
    "is not there",
    async () => ({ name: "odd", url: `http://127.0.0.1:${await freePort()}/mcp` }),
    /cannot be connected to/,
    /Is a server running at http:\S+, and are its `headers` right\?/,
  ],
  [
    "is a web page",
    () => site(() => new Response("<h1>Hello</h1>", { headers: { "content-type": "text/html" } })),
    /cannot be connected to/,
    /Is a server running at http/,
  ],
  [
    "needs a sign-in",
    () => site(() => new Response("Unauthorized", { status: 401 })),
    /cannot be connected to/,
    /It needs a sign-in: give a token in `headers`, .* or an OAuth provider as `auth`/,
  ],
];

test.each(BAD)(
  "a server that %s is one error that says what to do, or left out",
  async (_, make, what, todo) => {
    const options = await make();
    const error: unknown = await mcp(options).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "tool/failed" });
    const { message } = error as Error;
    expect(message).toMatch(/^The MCP server 'odd' /);
    expect(message).toMatch(what);
    expect(message).toMatch(todo);
    const { server, events } = await open({ ...options, optional: true });
    expect([server.status, server.tools(), server.tools({ only: ["a"] })]).toEqual(["left-out", [], []]);
    const [last, ...others] = events.filter(
      ({ type, tool }) => type !== "disconnected" && tool === undefined,
    );
    expect(last).toMatchObject({
      type: "left-out",
      server: "odd",
      message: expect.stringMatching(what) as string,
    });
    expect(others).toEqual([]);
  },
);

const good = { name: "good", inputSchema: { type: "object", properties: { n: { type: "integer" } } } };
const deep = (levels: number): unknown => (levels === 0 ? {} : { not: deep(levels - 1) });

/** Schemas that are none, by the name of their tool. */
const NO_SCHEMAS: readonly (readonly [string, unknown, RegExp])[] = [
  ["that is text", "object", /is not an object/],
  ["that is missing", undefined, /is not an object/],
  ["of a list", { type: "array" }, /not that of an object/],
  ["with a type that is none", schema, /\/properties\/a\/type has the value "text"/],
  ["with a number as a type", { type: "object", properties: { a: { type: 5 } } }, /\/type has the value 5/],
  ["with properties that are a list", { properties: [] }, /\/properties has the value \[\]/],
  [
    "with a property that is text",
    { properties: { a: "string" } },
    /\/properties\/a: "string" is not a schema/,
  ],
  ["with a required name that is none", { required: [1] }, /\/required has the value \[1\]/],
  [
    "with an enum that is none",
    { properties: { a: { enum: "x" } } },
    /\/properties\/a\/enum has the value "x"/,
  ],
  ["with a wrong expression", { properties: { a: { pattern: "(" } } }, /\/pattern has the value "\("/],
  [
    "with items that are none",
    { properties: { a: { items: 1 } } },
    /\/properties\/a\/items: 1 is not a schema/,
  ],
  [
    "that refers to nothing",
    { properties: { a: { $ref: "#/$defs/b" } } },
    /\$ref "#\/\$defs\/b" leads nowhere/,
  ],
  ["that refers elsewhere", { properties: { a: { $ref: "http://a.example/b" } } }, /another document/],
  ["that is too deep", deep(1_000), /nested more than 200 deep/],
];

test("a tool whose schema is none is left out, with a reason, and the others are offered", async () => {
  const bad = NO_SCHEMAS.map(([name, inputSchema]) => ({ name, inputSchema }));
  const { server, events } = await open(listing(...bad, good, 7, { inputSchema: {} }));
  expect(server.tools().map(({ name }) => name)).toEqual(["odd__good"]);
  const leftOut = (tool: string | undefined, message: RegExp) => ({
    type: "left-out",
    server: "odd",
    ...(tool !== undefined && { tool }),
    message: expect.stringMatching(message) as string,
  });
  expect(events).toEqual([
    ...NO_SCHEMAS.map(([name, , reason]) => leftOut(name, reason)),
    leftOut(undefined, /^A tool is not offered: it has no name\.$/),
    leftOut(undefined, /^A tool is not offered: it has no name\.$/),
  ]);
  expect(() => server.tools({ only: ["with properties that are a list"] })).toThrow(
    expect.objectContaining({
      code: "config/invalid",
      message: expect.stringMatching(
        /^The MCP server 'odd' has no tool 'with p.*'\. The tool is not offered/,
      ) as string,
    }),
  );
});

test("what can be mended in a list of tools is mended", async () => {
  const { server, events } = await open(
    listing(
      {
        name: "a",
        inputSchema: { properties: { n: { type: "integer", $ref: "#/$defs/n" } }, $defs: { n: true } },
      },
      {
        name: "b",
        title: 5,
        description: {},
        annotations: "none",
        icons: 1,
        inputSchema: { type: ["object", "null"] },
      },
      { ...good, outputSchema: { type: "object", properties: { n: { type: "none" } } } },
    ),
  );
  const tools = server.tools();
  expect(tools.map(({ name }) => name)).toEqual(["odd__a", "odd__b", "odd__good"]);
  expect(tools.map(({ inputSchema }) => inputSchema["type"])).toEqual(["object", "object", "object"]);
  const message = expect.stringContaining(
    "The results are not checked: its schema is not a JSON Schema",
  ) as string;
  expect(events).toMatchObject([{ type: "warning", tool: "good", message }]);
});

test("of a result of 1 GB over standard output no more is taken than may be, and the next call works", async () => {
  const { server } = await open({ ...program(), maxResultBytes: 2_000_000 });
  const toolkit = createToolkit({ tools: server.tools() });
  const before = process.memoryUsage().rss;
  let most = 0;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  const result = await toolkit.invoke("odd__gigabyte", {});
  clearInterval(timer);
  expect(result).toMatchObject({ state: "error", code: "tool/failed" });
  expect(outputOf(result)).toContain("more than 2000000 bytes");
  expect(most - before).toBeLessThan(300_000_000);
  await expect(server.readResource("big:")).rejects.toMatchObject({
    code: "tool/failed",
    message: expect.stringContaining("more than 2000000 bytes") as string,
  });
  expect(await toolkit.invoke("odd__small", {})).toMatchObject({ state: "success" });
});

test("a server that has other tools each time it is asked is not asked without a pause", async () => {
  const { server } = await open(program("always changes"));
  const toolkit = createToolkit({ tools: server.tools() });
  for (let calls = 0; calls < 200; calls++) await toolkit.invoke("odd__small", {});
  expect(Number(outputOf(await toolkit.invoke("odd__lists", {})))).toBeLessThan(100);
});

test("a legacy server that asks the model again and again gets no more answers than it may", async () => {
  const model = scriptedModel(Array.from({ length: 10 }, () => "Sampled."));
  const { server } = await open({ ...program(), sampling: { model, maxCalls: 3 } });
  const result = await createToolkit({ tools: server.tools() }).invoke("odd__storm", {});
  expect(outputOf(result)).toBe("97");
  expect(model.requests).toHaveLength(3);
});

test("errors hold no secrets of the options, not even those that the program prints", async () => {
  const keys = { flag: "flag-5ecret", equal: "equal-5ecret", url: "url-5ecret", env: "env-5ecret" };
  const args = ["--api-key", keys.flag, `--token=${keys.equal}`, `https://me:${keys.url}@host/`];
  const options: McpOptions = {
    command: process.execPath,
    args: ["-e", "console.error('no access for', process.env.SOME_ACCESS); process.exit(1)", "--", ...args],
    env: { SOME_ACCESS: keys.env },
  };
  const error: unknown = await mcp(options).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    message: expect.stringContaining("It wrote: no access for [redacted]") as string,
  });
  expect(String(error)).not.toContain("5ecret");
  const site = mcp({ url: "http://127.0.0.1:1/v1/5ecret?key=5ecret", headers: { "x-key": "header-5ecret" } });
  await expect(site).rejects.toThrow(/Is a server running at http:\/\/127\.0\.0\.1:1, /);
  await expect(site).rejects.not.toThrow("5ecret");
});
