// Lists of tools that change.
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, createToolkit, type Snapshot } from "agentchart";
import { mcp, type McpEvent, type McpOptions } from "agentchart/mcp";
import { serve } from "agentchart/server";
import { scriptedModel } from "agentchart/testing";
import { z } from "zod";

/** A server of the revision 2026-07-28, whose tools are those of a table: descriptions by name. */
async function open(tools: Map<string, string>, options: McpOptions = {}) {
  const handler = createMcpHandler(() => {
    const server = new McpServer(
      { name: "shop", version: "1" },
      { capabilities: { tools: { listChanged: true } } },
    );
    for (const [name, description] of tools)
      server.registerTool(name, { description, inputSchema: z.object({ n: z.number().optional() }) }, () => {
        changing[name]?.();
        return { content: [{ type: "text", text: name }] };
      });
    return server;
  });
  const changing: { [name: string]: () => void } = {};
  const { url, close } = await serve({ fetch: (request) => handler.fetch(request) });
  const events: McpEvent[] = [];
  const server = await mcp({ url, ...options, onEvent: (event) => void events.push(event) });
  onTestFinished(async () => {
    await server.close();
    await close();
  });
  const isRead = async (text: string): Promise<void> => {
    await expect.poll(() => JSON.stringify(server.tools())).toContain(text);
  };
  return { url, server, events, changing, notify: () => handler.notify.toolsChanged(), isRead };
}

const call = (name: string) => ({ calls: [{ name: `shop__${name}`, input: {} }] });

test("a list that a modern server changes within a turn counts from the next turn on", async () => {
  const tools = new Map([
    ["buy", "Buys."],
    ["old", "Is old."],
  ]);
  const { server, changing, notify, isRead } = await open(tools);
  const model = scriptedModel([call("buy"), "Done.", "Done."]);
  const own = createToolkit({ tools: server.tools() });
  own.setPreset("shop__buy", { n: 1 });
  const agent = createAgent({ name: "a", model, toolkit: own });
  changing["buy"] = () => {
    tools.set("buy", "Buys all.").set("new", "Is new.").delete("old");
    notify();
  };
  await agent.call("go");
  await isRead("Is new.");
  await agent.call("go");
  const [first, second, third] = model.requests.map((request) => request.tools);
  expect(first!.map(({ name }) => name)).toEqual(["shop__buy", "shop__old"]);
  expect(second).toEqual(first);
  expect(third!.map(({ name, description }) => [name, description])).toEqual([
    ["shop__buy", "Buys all."],
    ["shop__new", "Is new."],
  ]);
  expect(JSON.stringify(third![0]!.inputSchema)).toBe(JSON.stringify(first![0]!.inputSchema));
  expect(JSON.stringify(first![0]!.inputSchema)).not.toContain('"n"');
});

test("a turn that rests goes on with the tools that it began with", async () => {
  const tools = new Map([["buy", "Buys."]]);
  const { server, notify, isRead } = await open(tools);
  const model = scriptedModel([call("buy"), "Done.", "Done."]);
  const agent = createAgent({ name: "a", model, tools: server.tools({ permission: "ask" }) });
  const [pending] = (await agent.call("go")).pending;
  tools.set("new", "Is new.");
  notify();
  await isRead("Is new.");
  await agent.decide(pending!.callId, "approve");
  await agent.call();
  await agent.call("go");
  expect(model.requests.map((request) => request.tools.length)).toEqual([1, 1, 2]);
});

test("a new tool whose name is taken is left to its owner with a warning, and `only` goes on choosing", async () => {
  const tools = new Map([
    ["buy", "Buys."],
    ["sell", "Sells."],
  ]);
  const { server, events, notify, isRead } = await open(tools);
  const [buy, sell] = [server.tools({ only: ["buy"] }), server.tools({ except: ["buy"] })];
  const mine = { ...buy[0]!, name: "shop__new", description: "Is mine.", source: undefined as never };
  const toolkit = createToolkit({ tools: [...buy, ...sell, mine] });
  tools.set("new", "Is new.").set("other", "Is another.");
  notify();
  await isRead("Is new.");
  expect(await server.updateTools(toolkit)).toBe(true);
  expect(await server.updateTools(toolkit)).toBe(false);
  expect(toolkit.names()).toEqual(["shop__buy", "shop__sell", "shop__new", "shop__other"]);
  expect(events).toContainEqual(
    expect.objectContaining({ type: "warning", message: expect.stringContaining("'shop__new'") as string }),
  );
});

test("a list that changes is ignored if that is wanted", async () => {
  const tools = new Map([["buy", "Buys."]]);
  const { server, events, notify } = await open(tools, { toolsChanged: "ignore" });
  const model = scriptedModel(["Done.", "Done."]);
  const agent = createAgent({ name: "a", model, tools: server.tools() });
  await agent.call("go");
  tools.set("new", "Is new.");
  notify();
  await expect.poll(() => events.map(({ type }) => type)).toContain("tools-changed");
  await agent.call("go");
  expect(model.requests.map((request) => request.tools.map(({ name }) => name))).toEqual([
    ["shop__buy"],
    ["shop__buy"],
  ]);
  expect(server.tools().map(({ name }) => name)).toEqual(["shop__buy"]);
});

test("tools have other names and hidden arguments, also after the list has changed", async () => {
  const tools = new Map([
    ["buy", "Buys."],
    ["sell", "Sells."],
  ]);
  const { server, events, changing, notify, isRead } = await open(tools);
  const sold: string[] = [];
  changing["sell"] = () => sold.push("sell");
  const model = scriptedModel([{ calls: [{ name: "shop__vend", input: {} }] }, "Done.", "Done."]);
  const given = server.tools({ rename: { sell: "vend", buy: "vend 2" }, preset: { sell: { n: 3 } } });
  const agent = createAgent({ name: "a", model, tools: given });
  await agent.call("go");
  expect(sold).toEqual(["sell"]);
  tools.delete("buy");
  tools.set("vend", "Clashes.");
  notify();
  await isRead("Clashes.");
  await agent.call("go");
  const offered = model.requests.map((request) => request.tools);
  expect(offered.map((each) => each.map(({ name }) => name))).toEqual([
    ["shop__vend_2", "shop__vend"],
    ["shop__vend_2", "shop__vend"],
    ["shop__vend"],
  ]);
  for (const each of offered)
    expect(JSON.stringify(each.find(({ name }) => name === "shop__vend")!.inputSchema)).not.toContain('"n"');
  expect(events).toContainEqual(expect.objectContaining({ type: "left-out", tool: "vend" }));
  const wrong = { code: "config/invalid" };
  expect(() => server.tools({ rename: { nothing: "x" } })).toThrow(expect.objectContaining(wrong));
  expect(() => server.tools({ preset: { sell: { m: 1 } } })).toThrow(expect.objectContaining(wrong));
  expect(() => server.tools({ rename: { sell: "vend" } })).toThrow(
    expect.objectContaining({ code: "tool/duplicate" }),
  );
});

test("a tool that another process finds changed is asked for again, though it was approved for good", async () => {
  const tools = new Map([["buy", "Buys."]]);
  const { url, server } = await open(tools);
  const first = createAgent({
    name: "a",
    model: scriptedModel([call("buy"), "Done."]),
    tools: server.tools({ permission: "ask" }),
  });
  const [pending] = (await first.call("go")).pending;
  await first.decide(pending!.callId, { approve: true, remember: "tool" });
  expect((await first.call()).text).toBe("Done.");
  const snapshot = JSON.stringify(first.snapshot());
  const reasonOfNext = async () => {
    const other = await mcp({ url });
    onTestFinished(() => other.close());
    const model = scriptedModel([call("buy"), "Done."]);
    const restored = JSON.parse(snapshot) as Snapshot;
    const agent = createAgent({
      name: "a",
      model,
      tools: other.tools({ permission: "ask" }),
      sessionOptions: { snapshot: restored },
    });
    return (await agent.call("go")).reason;
  };
  expect(await reasonOfNext()).toBe("MODEL_STOP");
  tools.set("buy", "Buys all.");
  expect(await reasonOfNext()).toBe("APPROVAL_REQUIRED");
});
