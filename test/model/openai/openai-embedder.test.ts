// Embeddings over the API of OpenAI.
import { describe, expect, test } from "vitest";
import { openaiEmbedder } from "agentchart/openai";

/** A server that answers with one vector for each text, in the reverse order; and what it was asked. */
function server(answer?: (body: { input: string[] }) => Response) {
  const asked: { url: string; body: { input: string[] }; key: string | null }[] = [];
  const vectors = ({ input }: { input: string[] }) =>
    Response.json({
      data: input
        .map((text, index) => ({ index, object: "embedding", embedding: [text.length, index, 0.5] }))
        .toReversed(),
    });
  const fetch = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const body = JSON.parse(init!.body as string) as { input: string[] };
    asked.push({ url: String(url), body, key: new Headers(init!.headers).get("authorization") });
    return (answer ?? vectors)(body);
  };
  return { fetch: fetch as typeof globalThis.fetch, asked };
}
const options = () => ({ signal: new AbortController().signal, kind: "document" as const });

test("openaiEmbedder returns one vector for each text in its order, in batches", async () => {
  const { fetch, asked } = server();
  const embedder = openaiEmbedder({
    model: "nomic",
    dimensions: 3,
    batchSize: 2,
    apiKey: "sk-of-mine-1234",
    baseURL: "http://models.test/v1",
    fetch,
  });
  expect([embedder.name, embedder.dimensions]).toEqual(["nomic/3", 3]);
  const vectors = await embedder.embed(["a", "bb", "ccc"], options());
  expect(vectors).toEqual(
    [
      [1, 0, 0.5],
      [2, 1, 0.5],
      [3, 0, 0.5],
    ].map((each) => Float32Array.from(each)),
  );
  expect(asked).toEqual([
    {
      url: "http://models.test/v1/embeddings",
      body: { model: "nomic", input: ["a", "bb"], encoding_format: "float" },
      key: "Bearer sk-of-mine-1234",
    },
    expect.objectContaining({ body: expect.objectContaining({ input: ["ccc"] }) as object }),
  ]);
  expect(await embedder.embed([], options())).toEqual([]);
  expect(asked).toHaveLength(2);
});

test("openaiEmbedder asks OpenAI's newer models for the dimensions that are wanted, and knows those of all", async () => {
  const { fetch, asked } = server();
  const embedder = openaiEmbedder({ model: "text-embedding-3-small", dimensions: 3, apiKey: "k", fetch });
  await embedder.embed(["a"], options());
  expect(asked[0]!.body).toMatchObject({ dimensions: 3 });
  expect(openaiEmbedder({ model: "text-embedding-3-large" })).toMatchObject({
    name: "text-embedding-3-large",
    dimensions: 3_072,
  });
  expect(() => openaiEmbedder({ model: "nomic" })).toThrow(
    expect.objectContaining({
      code: "config/invalid",
      message: expect.stringContaining("`dimensions`") as string,
    }),
  );
});

describe("openaiEmbedder rejects, and asks once", () => {
  test.each([
    ["model/auth", false, () => Response.json({ error: { message: "no sk-of-mine-1234" } }, { status: 401 })],
    ["model/rate-limit", true, () => Response.json({ error: { message: "slow" } }, { status: 429 })],
    ["model/unavailable", true, () => Response.json({ error: { message: "down" } }, { status: 503 })],
    ["model/bad-response", true, () => Response.json({ data: [] })],
    ["model/bad-response", true, () => Response.json({ object: "list" })],
    ["model/bad-response", false, () => Response.json({ data: [{ index: 0, embedding: [1] }] })],
    ["model/bad-response", true, () => Response.json({ data: [null] })],
    ["model/bad-response", true, () => Response.json({ data: [{ index: 0, embedding: [1, null, 2] }] })],
    ["model/bad-response", true, () => new Response('{"data":[{"index":0,"embe')],
    ["model/bad-response", true, () => new Response("")],
    ["model/bad-response", false, () => new Response("<html>Sign in</html>")],
    ["model/rate-limit", true, () => Response.json({ error: { message: "slow", code: 429 } })],
    ["model/unavailable", true, () => Response.json({ detail: "The model is loading." })],
  ])("%s (retryable: %s)", async (code, isRetryable, answer) => {
    const { fetch, asked } = server(answer);
    const embedder = openaiEmbedder({ model: "m", dimensions: 3, apiKey: "sk-of-mine-1234", fetch });
    const error = await embedder.embed(["a"], options()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, isRetryable });
    expect(String(error)).not.toContain("sk-of-mine-1234");
    expect(asked).toHaveLength(1);
  });

  test("run/aborted once its signal has aborted, also in the middle", async () => {
    const { fetch } = server(() => new Promise<Response>(() => {}) as never);
    const embedder = openaiEmbedder({ model: "m", dimensions: 3, fetch });
    const aborting = new AbortController();
    const call = embedder.embed(["a"], { signal: aborting.signal, kind: "query" });
    aborting.abort();
    await expect(call).rejects.toMatchObject({ code: "run/aborted" });
    await expect(embedder.embed(["a"], { signal: aborting.signal, kind: "query" })).rejects.toMatchObject({
      code: "run/aborted",
    });
  });
});
