// Bodies of errors of each provider.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { openaiModel } from "../../../src/core/model/openai/openai-model.ts";
import { TRANSPORTS } from "./replay.ts";

const closings: (() => void)[] = [];
afterEach(() => closings.splice(0).forEach((close) => close()));

/** The error of a model whose server refuses with this body. */
async function refusalWith(
  transport: (typeof TRANSPORTS)[number],
  status: number,
  body: string,
  headers: Record<string, string> = {},
) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closings.push(() => server.close());
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const parts = openaiModel({ model: "m", baseURL, transport }).stream(
    { messages: [], tools: [], options: {}, execution: {} },
    { signal: new AbortController().signal },
  );
  try {
    for await (const _ of parts);
  } catch (error) {
    return error;
  }
  throw new Error("The server has not refused.");
}

describe.each(TRANSPORTS)("by %s:", (transport) => {
  test.each([
    ["in OpenAI's form", '{"error":{"message":"no such voice","code":"bad_voice"}}'],
    ["alone, as of Mistral", '{"object":"error","message":"no such voice","code":"bad_voice"}'],
    ["in a list, as of Gemini", '[{"error":{"message":"no such voice","code":"bad_voice"}}]'],
    ["alone in a list", '[{"message":"no such voice","code":"bad_voice"}]'],
  ])("an error %s is read", async (_, body) => {
    const error = await refusalWith(transport, 400, body);
    expect(error).toMatchObject({ code: "model/bad-request", data: { status: 400, kind: "bad_voice" } });
    expect((error as Error).message).toMatch(/Reason: no such voice$/);
  });

  test.each([
    ["a text", "no such voice", "422 no such voice"],
    ["a word in JSON", '"no such voice"', "422 status code (no body)"],
    ["an empty list", "[]", "[]"],
  ])("%s as the body of an error breaks nothing", async (_, body, reason) => {
    const error = await refusalWith(transport, 422, body);
    expect(error).toMatchObject({ code: "model/bad-request", data: { status: 422 } });
    expect((error as Error).message).toMatch(/\(422\)\. .*edit\(\)/);
    expect((error as Error).message).toContain(`Reason: ${reason}`);
  });

  test("the headers of a refusal are kept", async () => {
    const error = await refusalWith(transport, 429, '{"message":"later"}', {
      "retry-after": "7",
      "x-request-id": "r-1",
    });
    expect(error).toMatchObject({ code: "model/rate-limit", isRetryable: true, data: { requestId: "r-1" } });
    expect((error as { retryAt?: number }).retryAt).toBeGreaterThan(Date.now());
  });
});
