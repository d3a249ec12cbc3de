// Memories that are found by their meaning, and embedders that fail or change.
import { expect, onTestFinished, test } from "vitest";
import { createAgent, textOf, type Embedder } from "agentchart";
import { longTermMemory, memoryMemory, type LongTermMemoryOptions } from "agentchart/memory";
import { hashingEmbedder, scriptedModel } from "agentchart/testing";

/** Knows which words mean the same. */
const synonyms = (name = "synonyms"): Embedder => ({
  name,
  dimensions: 2,
  embed: async (texts) =>
    texts.map((text) =>
      /matcha|tea/iu.test(text)
        ? Float32Array.of(1, 0)
        : /oslo|norway/iu.test(text)
          ? Float32Array.of(0, 1)
          : Float32Array.of(0, 0),
    ),
});

function fixture(options: Partial<LongTermMemoryOptions>, turns: readonly string[]) {
  const store = memoryMemory();
  onTestFinished(() => store.close());
  const failures: (readonly [string, unknown])[] = [];
  const hook = longTermMemory({
    store,
    scope: () => "acme/ada",
    mode: "static",
    onFailure: (error, { doing }) => void failures.push([doing, error]),
    ...options,
  });
  const model = scriptedModel(turns);
  const agent = () => createAgent({ name: "bot", model, hooks: [hook] });
  const shown = () => textOf(model.requests.at(-1)!.messages.at(-1)!);
  return { store, failures, agent, shown };
}

test("with an embedder a memory is found that shares no word with the question", async () => {
  const { agent, shown, failures } = fixture({ embed: synonyms() }, ["Noted.", "Matcha."]);
  await agent().call("I drink matcha");
  await agent().call("Which tea suits me?");
  expect(shown()).toContain("- I drink matcha");
  expect(shown()).not.toContain("Noted");
  expect(failures).toEqual([]);
});

test("if the embedder fails, words are searched, and what was said is recorded with the next turn", async () => {
  let isDown = false;
  const inner = synonyms();
  const embed: Embedder = {
    ...inner,
    embed: (...given) => (isDown ? Promise.reject(new Error("offline")) : inner.embed(...given)),
  };
  const { agent, shown, failures, store } = fixture({ embed }, ["One.", "Two.", "Three."]);
  const bot = agent();
  await bot.call("I live in Oslo");
  isDown = true;
  await bot.call("What about Oslo?");
  expect(shown()).toContain("- I live in Oslo");
  expect(failures.map(([doing]) => doing)).toEqual(["retrieve", "record"]);
  isDown = false;
  await bot.call("And tea?");
  const texts = (await store.list("acme/ada")).memories.map(({ text }) => text);
  expect(texts.toSorted()).toEqual(
    ["I live in Oslo", "One.", "What about Oslo?", "Two.", "And tea?", "Three."].toSorted(),
  );
});

test("memories of another embedder are an error of the memory and not of the turn", async () => {
  const { store, agent } = fixture({ embed: synonyms() }, ["Noted."]);
  await agent().call("I drink matcha");
  const other = fixture({ store, embed: hashingEmbedder(64) }, ["Hello."]);
  expect((await other.agent().call("Which tea suits me?")).text).toBe("Hello.");
  expect(other.failures.map(([doing, error]) => [doing, (error as { code: string }).code])).toEqual([
    ["retrieve", "config/invalid"],
    ["record", "config/invalid"],
  ]);
  expect(String(other.failures[0]![1])).toContain("synonyms (2 dimensions)");
});

test("an embedder that makes too few vectors is refused", async () => {
  const embed: Embedder = { name: "empty", dimensions: 2, embed: async () => [] };
  const { agent, failures, store } = fixture({ embed }, ["Noted."]);
  await agent().call("I drink matcha");
  expect(failures.map(([, error]) => (error as { code: string }).code)).toEqual([
    "model/bad-response",
    "model/bad-response",
  ]);
  expect((await store.list("acme/ada")).memories).toEqual([]);
});
