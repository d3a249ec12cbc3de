// Searching among many tools, and loading the ones that are found.
import { describe, expect, test } from "vitest";
import { createAgent, createToolkit, defineTool, type AgentConfig, type Tool } from "agentchart";
import { memoryStore } from "agentchart/store/memory";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";
import { z } from "zod";
import { countTools } from "../../../src/core/model/request.ts";
import { outputOf, resultsOf, toolOf } from "../../support/agents.ts";

const OBJECTS = [
  "order",
  "invoice",
  "customer",
  "ticket",
  "product",
  "supplier",
  "contract",
  "parcel",
  "tax",
  "team",
];
const VERBS = [
  "create",
  "list",
  "find",
  "update",
  "delete",
  "archive",
  "approve",
  "export",
  "merge",
  "count",
];

/** 200 tools of the size that tools of real servers have. */
const many = (fields: Partial<Parameters<typeof defineTool>[0]> = {}): Tool[] =>
  ["eu", "us"].flatMap((region) =>
    OBJECTS.flatMap((object) =>
      VERBS.map((verb) =>
        toolOf(`${verb}_${object}_${region}`, () => `${verb} ${object} ${region}: done`, {
          description: `Will ${verb} one ${object} of the ${region} region. ${"It checks the rights of the user first. ".repeat(3)}`,
          input: z.object({
            id: z.string().describe(`The id of the ${object}.`),
            reason: z.string().optional(),
          }),
          ...fields,
        }),
      ),
    ),
  );

const searching = (query: string, limit?: number): ScriptedTurn => ({
  calls: [{ name: "search_tools", input: { query, ...(limit !== undefined && { limit }) } }],
});
const calling = (name: string): ScriptedTurn => ({ calls: [{ name, input: { id: "7" } }] });

function agentOf(turns: readonly ScriptedTurn[], config: Partial<AgentConfig> = {}) {
  const model = scriptedModel(turns);
  return {
    model,
    agent: createAgent({ name: "bot", model, ...(!config.toolkit && { tools: many() }), ...config }),
  };
}

const namesOf = ({ requests }: ReturnType<typeof scriptedModel>): string[][] =>
  requests.map(({ tools }) => tools.map(({ name }) => name));

describe("an agent with 200 tools", () => {
  test("offers few tokens of schemas, finds a tool, loads it and calls it", async () => {
    const { agent, model } = agentOf([
      searching("approve an invoice", 2),
      calling("approve_invoice_eu"),
      "end",
    ]);
    expect((await agent.call("Approve invoice 7.")).text).toBe("end");
    const [search, call] = resultsOf(await agent.messages());
    expect(outputOf(search)).toMatch(
      /^Loaded; call them directly:\n- approve_invoice_eu: Will approve one invoice of the eu region\.[^\n]*\n- approve_invoice_us: [^\n]*$/,
    );
    expect(outputOf(call)).toBe("approve invoice eu: done");
    expect(namesOf(model)).toEqual([
      ["search_tools"],
      ["search_tools", "approve_invoice_eu", "approve_invoice_us"],
      ["search_tools", "approve_invoice_eu", "approve_invoice_us"],
    ]);
    for (const { tools } of model.requests) expect(countTools(tools)).toBeLessThan(4_000);
    expect(countTools(many())).toBeGreaterThan(10_000);
  });

  test("only adds to the list of tools, whatever is loaded", async () => {
    const queries = ["parcel", "merge", "count_team_us", "parcel", "delete customer us"];
    const { agent, model } = agentOf([...queries.map((query) => searching(query)), "end"]);
    await agent.call("go");
    const lists = namesOf(model);
    for (const [index, list] of lists.slice(1).entries())
      expect(list.slice(0, lists[index]!.length)).toEqual(lists[index]);
    expect(lists.at(-1)).toHaveLength(1 + 5 + 5 + 1 + 5);
    expect(countTools(model.requests.at(-1)!.tools)).toBeLessThan(4_000);
  });

  test("has the same list after a restart", async () => {
    const store = memoryStore();
    const config = { store, sessionId: "s" };
    const first = agentOf([searching("merge tax", 1), "end"], config);
    await first.agent.call("go");
    await first.agent.close();
    const next = agentOf(["end"], config);
    await next.agent.call("go on");
    expect(next.model.requests.at(-1)!.tools).toEqual(first.model.requests.at(-1)!.tools);
    const { agent } = next;
    const copy = agentOf(["end"], { sessionOptions: { snapshot: agent.snapshot() } });
    await copy.agent.call("go on");
    expect(copy.model.requests.at(-1)!.tools).toEqual(first.model.requests.at(-1)!.tools);
  });

  test("runs a call of a tool that is not loaded, if permission allows it", async () => {
    const calls = {
      calls: [...["create_tax_eu", "delete_tax_eu"].map((name) => ({ name, input: { id: "7" } }))],
    };
    const permissions = { rules: [{ tool: "delete_*", action: "deny" as const }] };
    const { agent, model } = agentOf([calls, "end"], { permissions });
    await agent.call("go");
    const results = resultsOf(await agent.messages());
    expect(results.map(({ state }) => state)).toEqual(["success", "denied"]);
    expect(namesOf(model).at(-1)).toEqual(["search_tools"]);
  });

  test("offers all of them with `search: false` and with a larger bound", async () => {
    for (const search of [false, { maxTokens: 1_000_000 }] as const) {
      const { agent, model } = agentOf(["end"], { toolOptions: { search } });
      await agent.call("go");
      expect(namesOf(model)[0]).toHaveLength(200);
      expect(namesOf(model)[0]).not.toContain("search_tools");
    }
  });

  test("always offers those that are not to be deferred", async () => {
    const pinned = toolOf("pinned", () => "ok", { deferred: false });
    const { agent, model } = agentOf([searching("pinned"), "end"], { tools: [...many(), pinned] });
    await agent.call("go");
    expect(namesOf(model)[0]).toEqual(["pinned", "search_tools"]);
    expect(outputOf(resultsOf(await agent.messages())[0])).toBe(
      "Already in your list; call directly: pinned.",
    );
  });
});

describe("search_tools", () => {
  const tools = [
    toolOf("add", () => "ok", { description: "Adds numbers." }),
    toolOf("mail", () => "ok", { description: "Sends a mail.", deferred: true }),
    toolOf("fax", () => "ok", { description: "Sends a fax.", deferred: true }),
  ];

  test("is there if a tool is deferred, and says what is loaded already and what matches nothing", async () => {
    const turns = [searching("mail"), searching("sends"), searching("unicorn"), "end"];
    const { agent, model } = agentOf(turns, { tools });
    expect(agent.toolkit.names()).toEqual(["add", "mail", "fax", "search_tools"]);
    await agent.call("go");
    expect(resultsOf(await agent.messages()).map(outputOf)).toEqual([
      "Loaded; call them directly:\n- mail: Sends a mail.",
      "Loaded; call them directly:\n- fax: Sends a fax.\nAlready in your list; call directly: mail.",
      'No tool matches "unicorn". Try other words, or one of these names: mail, fax.',
    ]);
    expect(namesOf(model)).toEqual([
      ["add", "search_tools"],
      ["add", "search_tools", "mail"],
      ["add", "search_tools", "mail", "fax"],
      ["add", "search_tools", "mail", "fax"],
    ]);
  });

  test("loses no tool if two searches stand in one answer", async () => {
    const calls = [searching("mail"), searching("fax")].flatMap((turn) => (turn as { calls: [] }).calls);
    const { agent, model } = agentOf([{ calls }, "end"], { tools, parallelToolCalls: true });
    await agent.call("go");
    expect(namesOf(model).at(-1)).toEqual(["add", "search_tools", "mail", "fax"]);
  });

  test("finds tools of active groups only, and a loaded one goes and comes with its group", async () => {
    const toolkit = createToolkit({
      groups: [{ name: "web", active: false }],
      tools: [...tools, toolOf("fetch", () => "page", { groups: ["web"], deferred: true })],
    });
    const { agent, model } = agentOf([searching("fetch"), searching("fetch"), "end", "end"], { toolkit });
    const first = agent.call("go");
    agent.subscribe((event) => {
      if (event.type === "tool.end") agent.toolkit.setGroups({ activate: ["web"] });
    });
    await first;
    const outputs = resultsOf(await agent.messages()).map(outputOf);
    expect(outputs[0]).toMatch(/^No tool matches/);
    expect(outputs[1]).toMatch(/^Loaded/);
    agent.toolkit.setGroups({ deactivate: ["web"] });
    await agent.call("go on");
    expect(namesOf(model).slice(-2)).toEqual([
      ["add", "search_tools", "fetch"],
      ["add", "search_tools"],
    ]);
  });

  test("keeps loaded tools behind the tool for the structured answer", async () => {
    const answer = { calls: [{ name: "generate_response", input: { response: { n: 1 } } }] };
    const { agent, model } = agentOf([searching("mail"), answer], { tools });
    await agent.call("go", { output: z.object({ n: z.number() }) });
    expect(namesOf(model)).toEqual([
      ["add", "search_tools", "generate_response"],
      ["add", "search_tools", "generate_response", "mail"],
    ]);
  });

  test("refuses a limit beyond 5 and a tool of its own name", async () => {
    const { agent } = agentOf([searching("mail", 6), "end"], { tools });
    await agent.call("go");
    expect(resultsOf(await agent.messages())[0]).toMatchObject({ state: "error", code: "tool/bad-input" });
    expect(() => agentOf([], { tools: [toolOf("search_tools", () => "ok")] })).toThrow(
      /the package has a tool of its own named 'search_tools'/,
    );
    expect(() => agentOf([], { toolOptions: { search: true as never } })).toThrow(
      /`toolOptions.search` is true; expected false or/,
    );
    expect(() => agentOf([], { toolOptions: { search: { maxTokens: -1 } } })).toThrow(/`toolOptions.search/);
  });
});
