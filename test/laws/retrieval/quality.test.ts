// The quality of retrieval, against a measured floor.
import { randomUUID } from "node:crypto";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import {
  memoryKnowledge,
  postgresKnowledge,
  type KnowledgeQuery,
  type KnowledgeStore,
} from "agentchart/knowledge";
import { hashingEmbedder } from "agentchart/testing";
import { corpusOf, type CorpusQuestion } from "../../../bench/knowledge-corpus.ts";
import { NO_POSTGRES, startPostgres } from "../../support/postgres.ts";

const { passages, questions } = corpusOf(2_000, 200);
const embedder = hashingEmbedder(256);
const signal = new AbortController().signal;
const LIMIT = 5;

async function filled(store: KnowledgeStore): Promise<KnowledgeStore> {
  onTestFinished(() => store.close());
  const vectors = await embedder.embed(
    passages.map(({ text }) => text),
    { signal, kind: "document" },
  );
  const all = passages.map(({ text }, index) => ({ text, vector: vectors[index]! }));
  await store.put("corpus", all, { embedder });
  return store;
}

type Part = "words" | "vectors" | "both";

/** The place of each question's answer among the first five, from 1; 0 for none. */
async function placesOf(
  store: KnowledgeStore,
  part: Part,
  asked: readonly CorpusQuestion[],
): Promise<readonly number[]> {
  const places: number[] = [];
  for (const { question, answer } of asked) {
    const [vector] = await embedder.embed([question], { signal, kind: "query" });
    const query: KnowledgeQuery = {
      text: part === "vectors" ? "" : question,
      limit: LIMIT,
      ...(part !== "words" && { embedding: { by: embedder, vector: vector! } }),
    };
    places.push((await store.search(query)).findIndex(({ text }) => text === answer) + 1);
  }
  return places;
}

/** The share of questions whose answer was found, and the mean of the reciprocal places. */
function scored(places: readonly number[], language: string) {
  const counted = places.filter((_, index) => language === "all" || questions[index]!.language === language);
  const reciprocal = counted.reduce((sum, place) => sum + (place > 0 ? 1 / place : 0), 0);
  return {
    recall: counted.filter((place) => place > 0).length / counted.length,
    mrr: reciprocal / counted.length,
  };
}

const server = await startPostgres();
afterAll(() => server?.stop());
const stores: { readonly [name: string]: () => KnowledgeStore } = {
  "in SQLite": () => memoryKnowledge(),
  ...(server && {
    "in Postgres": () =>
      postgresKnowledge({
        connectionString: server.connectionString,
        schema: `q_${randomUUID().replaceAll("-", "")}`,
      }),
  }),
};
if (!server) test.skip(`in Postgres (${NO_POSTGRES})`, () => {});

describe("what is found of 2,000 passages for 200 questions", () => {
  test("the corpus is as large as that, half English and half Chinese, and the same each time", () => {
    expect(passages.length).toBeGreaterThanOrEqual(2_000);
    expect(questions.filter(({ language }) => language === "zh")).toHaveLength(100);
    expect(new Set(passages.map(({ text }) => text)).size).toBe(passages.length);
    expect(corpusOf(2_000, 200)).toEqual({ passages, questions });
  });

  test.each(Object.entries(stores))(
    "%s both parts together are about as good as the better one",
    async (name, open) => {
      const store = await filled(open());
      // Each question is three searches; a server answers them one after the other.
      const isServer = name !== "in SQLite";
      const asked = isServer ? questions.slice(0, 100) : questions;
      const words = await placesOf(store, "words", asked);
      const vectors = await placesOf(store, "vectors", asked);
      const both = await placesOf(store, "both", asked);
      for (const language of isServer ? ["all"] : ["en", "zh", "all"]) {
        const parts = { words: scored(words, language), vectors: scored(vectors, language) };
        const together = scored(both, language);
        const shown = `${language} ${JSON.stringify({ ...parts, together })}`;
        if (process.env["SHOW_QUALITY"]) console.error(shown);
        const better = Math.max(parts.words.recall, parts.vectors.recall);
        expect(together.recall, shown).toBeGreaterThanOrEqual(better - 0.02);
        expect(together.recall, shown).toBeGreaterThanOrEqual(0.85);
        expect(together.mrr, shown).toBeGreaterThanOrEqual(0.75);
      }
    },
  );
});
