import { describe, expect, test } from "vitest";
import { isSecret, namesSecret } from "../../../src/inspect/protocol/secrets.ts";

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
