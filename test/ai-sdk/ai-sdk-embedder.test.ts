// Embedders of the AI SDK, over real packages of providers.
import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { aiSdkEmbedder, type AiSdkEmbeddingModel } from "agentchart/ai-sdk";

const require = createRequire(import.meta.url);
type Make = (settings: object) => { embedding(model: string): AiSdkEmbeddingModel };

/** An embedding model of a real package, its requests, and what it answers with. */
function packaged(name: string, factory: string, model: string, answer: (body: never) => Response) {
  const bodies: unknown[] = [];
  const fetch = async (_: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(init!.body as string) as never;
    bodies.push(body);
    return answer(body);
  };
  const make = (require(name) as { readonly [name: string]: Make })[factory]!;
  return { bodies, model: make({ apiKey: "key-of-mine", fetch }).embedding(model) };
}
const options = (kind: "document" | "query" = "document") => ({ signal: new AbortController().signal, kind });
const mistralAnswer = ({ input }: { input: string[] }) =>
  Response.json({
    object: "list",
    data: input.map((text, index) => ({ object: "embedding", index, embedding: [text.length, 1] })),
    usage: { prompt_tokens: 1, total_tokens: 1 },
  });

test("aiSdkEmbedder embeds with a real package, in batches of what the package takes at most", async () => {
  const { model, bodies } = packaged("@ai-sdk/mistral", "createMistral", "mistral-embed", mistralAnswer);
  const embedder = aiSdkEmbedder(model, { dimensions: 2 });
  expect([embedder.name, embedder.dimensions]).toEqual(["mistral/mistral-embed/2", 2]);
  const texts = Array.from({ length: 40 }, (_, index) => "x".repeat(index));
  const vectors = await embedder.embed(texts, options());
  expect(vectors).toEqual(texts.map(({ length }) => Float32Array.from([length, 1])));
  expect(bodies.map((body) => (body as { input: string[] }).input.length)).toEqual([32, 8]);
});

test("aiSdkEmbedder tells Google whether a text is a document or a question", async () => {
  const { model, bodies } = packaged(
    "@ai-sdk/google",
    "createGoogleGenerativeAI",
    "gemini-embedding-001",
    () => Response.json({ embedding: { values: [1, 2] } }),
  );
  const embedder = aiSdkEmbedder(model, {
    dimensions: 2,
    providerOptions: { google: { outputDimensionality: 2 } },
  });
  await embedder.embed(["a"], options("document"));
  await embedder.embed(["b"], options("query"));
  expect(bodies).toMatchObject([
    { outputDimensionality: 2, taskType: "RETRIEVAL_DOCUMENT" },
    { outputDimensionality: 2, taskType: "RETRIEVAL_QUERY" },
  ]);
});

test("aiSdkEmbedder rejects with the errors of a model call, and asks once", async () => {
  const down = () => Response.json({ message: "down" }, { status: 503 });
  const { model, bodies } = packaged("@ai-sdk/mistral", "createMistral", "mistral-embed", down);
  await expect(aiSdkEmbedder(model, { dimensions: 2 }).embed(["a"], options())).rejects.toMatchObject({
    code: "model/unavailable",
    isRetryable: true,
  });
  expect(bodies).toHaveLength(1);
  const other = packaged("@ai-sdk/mistral", "createMistral", "mistral-embed", mistralAnswer);
  await expect(aiSdkEmbedder(other.model, { dimensions: 3 }).embed(["a"], options())).rejects.toMatchObject({
    code: "model/bad-response",
    message: expect.stringContaining("vectors of 2 numbers, and `dimensions` is 3") as string,
  });
});

test.each([
  ["mistral-embed", "npm install @ai-sdk/mistral"],
  [{ modelId: "m" }, "The argument is not an embedding model"],
  [
    { modelId: "m", provider: "p", specificationVersion: "v9", doEmbed() {} },
    'the specification version "v9"; expected v2, v3, v4',
  ],
])("aiSdkEmbedder refuses %j with config/invalid", (model, message) => {
  expect(() => aiSdkEmbedder(model as never, { dimensions: 2 })).toThrow(
    expect.objectContaining({ code: "config/invalid", message: expect.stringContaining(message) as string }),
  );
});
