// Images in a compaction: the newest stay, older ones are left out.
import { expect, test } from "vitest";
import { createAgent, defineTool, toolResultsOf, userMsg, type AgentConfig, type Msg } from "agentchart";
import { scriptedModel, type ScriptedTurn } from "agentchart/testing";

const tools = [
  defineTool({
    name: "photo",
    description: "Takes a photo.",
    input: { type: "object" },
    execute: (_, { callId }) => ({
      output: [
        { type: "text", text: `photo of ${callId}` },
        { type: "image", source: { type: "url", url: `https://example.com/${callId}.png` } },
      ],
    }),
  }),
];
const takes = (id: string): ScriptedTurn => ({ calls: [{ id, name: "photo", input: {} }] });
const photos = ["p1", "p2", "p3", "p4", "p5"];

/** What is shown of each result: the types of its blocks. */
const shownIn = (messages: readonly Msg[]): readonly string[] =>
  messages
    .flatMap(toolResultsOf)
    .map(({ id, output }) => `${id} ${output.map(({ type }) => type).join("+")}`);

async function afterCompaction(config: Partial<AgentConfig> = {}) {
  const more = [{ calls: [{ id: "r1", name: "read_result", input: { id: "p1" } }] }, "seen"];
  const model = scriptedModel([...photos.map(takes), "all taken", "A summary.", ...more]);
  const agent = createAgent({ name: "a", model, tools, compaction: { keepRecentTokens: 6_000 }, ...config });
  await agent.observe([userMsg(`before ${"words ".repeat(8_000)}`)]);
  await agent.call("take five");
  const before = model.requests.at(-1)!;
  await agent.compact();
  await agent.call("show the first");
  return { agent, model, before };
}

test("a compaction leaves out the images of all but the newest three results that have one, and read_result shows them", async () => {
  const { agent, model, before } = await afterCompaction();
  expect(shownIn(before.messages)).toEqual(photos.map((id) => `${id} text+image`));
  const [asked, read] = model.requests.slice(-2);
  expect(shownIn(asked!.messages)).toEqual([
    "p1 text+text",
    "p2 text+text",
    ...["p3", "p4", "p5"].map((id) => `${id} text+image`),
  ]);
  expect(JSON.stringify(asked!.messages)).toContain('[image omitted; see it with read_result, id \\"p1\\"]');
  expect(asked!.tools.map(({ name }) => name)).toContain("read_result");
  const [result] = toolResultsOf(read!.messages.at(-1)!);
  expect(result!.output).toEqual([
    { type: "text", text: "photo of p1" },
    { type: "image", source: { type: "url", url: "https://example.com/p1.png" } },
  ]);
  expect(shownIn(await agent.messages()).slice(0, 5)).toEqual(photos.map((id) => `${id} text+image`));
});

test.each<[string, Partial<AgentConfig>, number]>([
  ["keepMedia: 1", { toolOptions: { results: { keepMedia: 1 } } }, 1],
  ["keepMedia: 0", { toolOptions: { results: { keepMedia: 0 } } }, 0],
  ["an excluded tool", { toolOptions: { results: { exclude: ["photo"] } } }, 5],
  ["results: false", { toolOptions: { results: false } }, 5],
])("with %s a compaction keeps the images of as many results", async (_, config, kept) => {
  const { model } = await afterCompaction(config);
  const images = shownIn(model.requests.at(-2)!.messages).filter((shown) => shown.endsWith("image"));
  expect(images).toHaveLength(kept);
});
