// Errors of models: their codes, and when a retry makes sense.
import { OpenAI } from "openai";
import { describe, expect, test } from "vitest";
import { AgentError } from "../../src/core/base/error.ts";
import { toModelError } from "../../src/core/model/model-error.ts";
import { ConnectionError, WireError } from "../../src/core/model/wire-error.ts";

const NOW = 1_800_000_000_000;
const KEY = "secret-key-of-mine";
const endpoint = { model: "m-1", baseURL: "https://user:pass@models.test/v1", secrets: [KEY] };
const errorOf = (thrown: unknown): AgentError => toModelError(thrown, endpoint, () => NOW);

function httpError(status: number, error: object = {}, headers: Record<string, string> = {}): Error {
  return OpenAI.APIError.generate(status, { error }, undefined, new Headers(headers));
}

describe("codes", () => {
  test.each<[number, object, string, boolean]>([
    [429, { message: "slow down" }, "model/rate-limit", true],
    [429, { code: "insufficient_quota", message: "no money" }, "model/rate-limit", false],
    [500, {}, "model/unavailable", true],
    [502, {}, "model/unavailable", true],
    [503, {}, "model/unavailable", true],
    [504, {}, "model/unavailable", true],
    [529, { type: "overloaded_error" }, "model/unavailable", true],
    [409, {}, "model/unavailable", true],
    [408, {}, "model/timeout", true],
    [401, { message: "bad key" }, "model/auth", false],
    [403, {}, "model/auth", false],
    [400, { message: "bad temperature" }, "model/bad-request", false],
    [404, {}, "model/bad-request", false],
    [422, {}, "model/bad-request", false],
    [400, { code: "context_length_exceeded" }, "model/context-length", false],
    [400, { message: "This model's maximum context length is 8192 tokens" }, "model/context-length", false],
    [400, { message: "Range of input length should be [1, 30720]" }, "model/context-length", false],
    [413, { message: "Please reduce the length of the messages" }, "model/context-length", false],
    [413, { type: "request_too_large" }, "model/context-length", false],
    [400, { message: "max_tokens exceeds the limit of 8192" }, "model/bad-request", false],
    [400, { message: "Too many tokens, please wait before trying again." }, "model/bad-request", false],
    [429, { message: "Too many tokens per minute" }, "model/rate-limit", true],
    [400, { code: "content_filter" }, "model/content-filter", false],
    [400, { code: "data_inspection_failed" }, "model/content-filter", false],
  ])("%i %j is %s", (status, body, code, isRetryable) => {
    expect(errorOf(httpError(status, body))).toMatchObject({
      code,
      isRetryable,
      data: { status, model: "m-1", host: "models.test" },
    });
  });

  test.each<[unknown, string, boolean]>([
    [{ message: "busy", type: "server_error" }, "model/unavailable", true],
    [{ message: "what?" }, "model/unavailable", true],
    ["plain words", "model/unavailable", true],
    [
      {
        message: "The server had an error processing your request. You can retry your request.",
        type: "invalid_request_error",
      },
      "model/unavailable",
      true,
    ],
    [{ message: "Internal server error", type: "invalid_request_error" }, "model/unavailable", true],
    [{ message: "later", code: "rate_limit_exceeded" }, "model/rate-limit", true],
    [{ message: "later", code: "Throttling.RateQuota" }, "model/rate-limit", true],
    [{ message: "no", type: "invalid_request_error" }, "model/bad-request", false],
    [{ message: "no", type: "BadRequestError", code: 400 }, "model/bad-request", false],
    [{ message: "upstream", code: 502 }, "model/unavailable", true],
  ])("the payload %j within a stream is %s", (payload, code, isRetryable) => {
    expect(errorOf(new WireError(payload))).toMatchObject({ code, isRetryable });
  });

  test.each<[string, Error, string]>([
    [
      "a refused connection",
      new OpenAI.APIConnectionError({ cause: withCode("ECONNREFUSED") }),
      "model/connection",
    ],
    ["an unknown host", new TypeError("fetch failed", { cause: withCode("ENOTFOUND") }), "model/connection"],
    [
      "a bundle of refusals",
      new TypeError("fetch failed", { cause: new AggregateError([withCode("ECONNREFUSED")]) }),
      "model/connection",
    ],
    [
      "a broken stream",
      new TypeError("terminated", { cause: withCode("UND_ERR_SOCKET") }),
      "model/connection",
    ],
    [
      "a bad certificate",
      new TypeError("fetch failed", { cause: withCode("CERT_HAS_EXPIRED") }),
      "model/connection",
    ],
    ["a client's time-out", new OpenAI.APIConnectionTimeoutError(), "model/timeout"],
    [
      "no headers in time",
      new TypeError("fetch failed", { cause: withCode("UND_ERR_HEADERS_TIMEOUT") }),
      "model/timeout",
    ],
    [
      "no bytes in time",
      new TypeError("terminated", { cause: withCode("UND_ERR_BODY_TIMEOUT") }),
      "model/timeout",
    ],
  ])("%s is retryable", (_, thrown, code) => {
    expect(errorOf(thrown)).toMatchObject({ code, isRetryable: true });
  });

  test("anything else is model/failed with the same message", () => {
    const error = errorOf(new RangeError("odd"));
    expect(error).toMatchObject({ code: "model/failed", isRetryable: false, cause: { message: "odd" } });
    expect(error.message).toContain("odd");
  });

  test("an AgentError stays itself", () => {
    const error = new AgentError("run/aborted", "stop");
    expect(errorOf(error)).toBe(error);
  });
});

describe("when to retry", () => {
  test.each([
    [{ "retry-after": "7" }, NOW + 7_000],
    [{ "retry-after": "0.5" }, NOW + 500],
    [{ "retry-after": new Date(NOW + 60_000).toUTCString() }, NOW + 60_000],
    [{ "retry-after-ms": "250", "retry-after": "9" }, NOW + 250],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "99999999999999999999" }, undefined],
    [{ "retry-after-ms": "Infinity" }, undefined],
    [{}, undefined],
  ] as const)("%j", (headers, retryAt) => {
    expect(errorOf(httpError(429, {}, headers)).retryAt).toBe(retryAt);
    expect(errorOf(httpError(503, {}, headers)).retryAt).toBe(retryAt);
  });

  test("an error that is not retryable has no such instant", () => {
    expect(errorOf(httpError(400, {}, { "retry-after": "7" })).retryAt).toBeUndefined();
  });

  test("x-should-retry beats the status", () => {
    expect(errorOf(httpError(500, {}, { "x-should-retry": "false" })).isRetryable).toBe(false);
    expect(errorOf(httpError(400, {}, { "x-should-retry": "true" })).isRetryable).toBe(true);
  });
});

describe("messages", () => {
  test.each<[number, object, string]>([
    [
      404,
      { code: "model_not_found", message: "The model `m-1` does not exist" },
      'models.test does not know the model "m-1": check its name.',
    ],
    [
      404,
      { message: 'model "m-1" not found, try pulling it first' },
      'models.test does not know the model "m-1"',
    ],
    [400, { message: "Model Not Exist" }, 'models.test does not know the model "m-1"'],
    [404, {}, "check baseURL"],
    [401, {}, "check apiKey"],
    [
      400,
      { message: "bad temperature" },
      'The request to model "m-1" at models.test was refused (400). If it is for something that was said, take that out with edit(). Reason: bad temperature',
    ],
  ])("%i %j says what to do", (status, body, sentence) => {
    expect(errorOf(httpError(status, body)).message).toContain(sentence);
  });

  test("the error for an address without a server says so", () => {
    const error = errorOf(new OpenAI.APIConnectionError({ cause: withCode("ECONNREFUSED") }));
    expect(error.message).toBe(
      'No connection to model "m-1" at models.test: is the server running, and is baseURL right? Reason: ECONNREFUSED 127.0.0.1:9',
    );
  });

  test("no API key is in message, data or cause", () => {
    const error = errorOf(
      httpError(401, { message: `Wrong key ${KEY}, or sk-abcdefghijkl, or Bearer abc.def`, code: KEY }),
    );
    expect(error.message).toContain("Wrong key [redacted], or [redacted], or Bearer [redacted]");
    expect(JSON.stringify(error)).not.toContain(KEY);
    expect(error.cause).toBeUndefined();
  });

  test("user and password of the base URL are not in it, also where `fetch` quotes them", async () => {
    expect(JSON.stringify(errorOf(httpError(500)))).not.toContain("pass");
    const thrown: unknown = await fetch(endpoint.baseURL).catch((error: unknown) => error);
    const error = errorOf(new ConnectionError(thrown));
    expect(error.message).toContain("includes credentials: [redacted]");
    expect(error.cause).toBeUndefined();
  });

  test("no more of what a server says is in it than a person reads", () => {
    const page = `<html>${"😀".repeat(1_000_000)}`;
    const error = errorOf(httpError(502, { message: page, code: page }));
    expect(error.message).toMatch(/^The server failed to answer .* Reason: <html>😀.*… \[\d+ characters\]$/u);
    expect(JSON.stringify(error).length).toBeLessThan(5_000);
    expect(JSON.stringify(error)).not.toMatch(/\\ud[89a-f]/);
  });
});

function withCode(code: string): Error {
  return Object.assign(new Error(`${code} 127.0.0.1:9`), { code });
}
