// The redaction of secrets by the names of their keys.
import { describe, expect, test } from "vitest";
import { heapBytes } from "../support/heap-bytes.ts";
import { isSecret, namesSecret, redactSecrets, restoreRedacted } from "../../src/core/base/secrets.ts";

describe("isSecret", () => {
  test.each([
    "apiKey",
    "api_key",
    "OPENAI_API_KEY",
    "Authorization",
    "x-api-key",
    "password",
    "clientSecret",
    "accessToken",
    "set-cookie",
    "extraHeaders",
    "privateKey",
  ])("is true for the key %s", (key) => expect(isSecret(key, "value")).toBe(true));

  test.each(["inputTokens", "outputTokens", "maxTokens", "key", "author", "text", "name"])(
    "is false for a number with the key %s",
    (key) => expect(isSecret(key, 12)).toBe(false),
  );

  test("namesSecret finds the key of a secret in incomplete JSON", () => {
    expect(namesSecret('{"user":"a","passw')).toBe(false);
    expect(namesSecret('{"user":"a","password" : "h')).toBe(true);
  });
});

describe("redactSecrets", () => {
  test("replaces the values of secret keys at any depth, and returns what has none as it is", () => {
    const plain = { user: "a", list: [1, { text: "password: x" }], maxTokens: 7, none: null };
    expect(redactSecrets(plain)).toBe(plain);
    expect(redactSecrets([{ a: { ApiKey: "k", tokens: 3 } }, plain])).toEqual([
      { a: { ApiKey: "[redacted]", tokens: 3 } },
      plain,
    ]);
    expect(redactSecrets({ credentials: { user: "a", pass: "b" } })).toEqual({ credentials: "[redacted]" });
  });

  test("replaces arguments that are not an object, if they name a secret", () => {
    expect(redactSecrets({ rawInput: '{"password":"hunt' })).toEqual({ rawInput: "[redacted]" });
    expect(redactSecrets({ rawInput: '{"user":"a"' })).toEqual({ rawInput: '{"user":"a"' });
  });

  test("returns a redacted value as it is", () => {
    const redacted = redactSecrets({ apiKey: "k" });
    expect(redactSecrets(redacted)).toBe(redacted);
  });
});

test("restoreRedacted leaves a placeholder that stands for nothing", () => {
  expect(restoreRedacted({ apiKey: "[redacted]", __proto__: null } as never, {})).toEqual({
    apiKey: "[redacted]",
  });
});

test("the names of keys that are remembered hold no text in which they stood", async () => {
  const before = await heapBytes();
  for (let n = 0; n < 60; n++) {
    const text = `{"a_key_of_some_length_${n}": "${"x".repeat(1_000_000)}`;
    expect(isSecret("rawInput", text)).toBe(false);
  }
  expect((await heapBytes()) - before).toBeLessThan(20_000_000);
});
