// The redaction of secrets by the names of their keys, and in texts.
import { describe, expect, test } from "vitest";
import { heapBytes } from "../support/heap-bytes.ts";
import {
  hideSecrets,
  isSecret,
  namesSecret,
  quotesSecret,
  redactSecrets,
  restoreRedacted,
  secretsIn,
  secretsOf,
} from "../../src/core/base/secrets.ts";

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

describe("hideSecrets", () => {
  test.each([
    ["postgres://me:p@ss:w#rd@db/x", "postgres://me:[redacted]@db/x"],
    ["postgresql://me@db/x?password=secret&ssl=1", "postgresql://me@db/x?password=[redacted]&ssl=1"],
    ["postgres://db/prod?sslpassword=hunter2", "postgres://db/prod?sslpassword=[redacted]"],
    ["redis://:hunter2@cache:6379/0", "redis://:[redacted]@cache:6379/0"],
    ["https://ghtoken@host/x", "https://[redacted]@host/x"],
    ['{"password":"a, b","n":1}', '{"password":"[redacted]","n":1}'],
    ["Authorization: Bearer hunter, then more", "Authorization: [redacted], then more"],
    ["key sk-abcdefghijkl.", "key [redacted]."],
    ["token=letmein, token: l3tmein", "token=[redacted], token: [redacted]"],
  ])("shows %s as %s, also if it is done again", (text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
    expect(hideSecrets(shown)).toBe(shown);
  });

  test.each([
    "postgres://me@db/x, file:/a:b@c",
    '["http://a","ada@host"]',
    "This is a basic understanding. Missing bearer authentication in header.",
    "skip-the-line-please, task-1234567890, pk_orders_items_by_day_and_year",
    "Unexpected token '}', at most 4096 tokens: 5000",
    "The secret of a good token is patience. Missing tokens: use one. tokens: `[0].token` is short.",
  ])("leaves %s", (text) => expect(hideSecrets(text)).toBe(text));

  test.each([
    " ",
    "-",
    "a",
    "a-",
    ":",
    "a:",
    "\\",
    '"',
    "https://",
    "a://b:",
    "cookie",
    "token",
    'password: "',
  ])("takes no longer than it must for a text of %j", (part) => {
    const began = process.cpuUsage();
    hideSecrets(part.repeat(500_000 / part.length));
    expect(process.cpuUsage(began).user).toBeLessThan(2_000_000);
  });

  test("hides the longest of values first, and none that is a word", () => {
    const known = secretsIn(
      { "x-a": "12345678", "x-b": "12345678-90", "x-c": "short", token: "k-12" },
      undefined,
    );
    expect(hideSecrets("12345678-90 12345678 short k-12", known)).toBe(
      "[redacted] [redacted] short [redacted]",
    );
    expect(secretsIn({ a: "", b: undefined, c: 12_345_678 })).toEqual([]);
  });
});

test("a command has secrets in flags, variables and addresses, encoded and decoded", () => {
  const url = "postgres://me:hunter%402@db/prod";
  for (const found of [
    secretsOf([], { DATABASE_URL: url }),
    secretsOf(["--store", url]),
    secretsOf([`--store=${url}`]),
  ])
    expect(found).toEqual(["hunter%402", "hunter@2"]);
  const env = {
    ANTHROPIC_API_KEY: " k-123 ",
    PGPASSWORD: "hunter2",
    PWD: "/home/ada/desk",
    HOME: "/home/ada",
    AUTH: undefined,
  };
  expect(secretsOf(["run", "--token", "t0ken", "--secret=s3cret", "my password", "again"], env)).toEqual([
    "k-123",
    "hunter2",
    "t0ken",
    "s3cret",
  ]);
});

test("an error quotes a secret in what it says, in its causes and in its fields", () => {
  const circle = { self: {} };
  circle.self = circle;
  const known = ["plain-text"];
  expect(quotesSecret(new Error("fine", { cause: new Error("fine") }), known)).toBe(false);
  expect(quotesSecret(undefined, known)).toBe(false);
  for (const error of [
    new Error("a", { cause: new Error("b", { cause: new Error("plain-text") }) }),
    new AggregateError([new Error("plain-text")], "a"),
    Object.assign(new Error("a"), { config: { headers: { "x-key": "plain-text" } } }),
    Object.assign(new Error("a"), { request: circle }),
    "Bearer abc.def.ghi",
  ])
    expect(quotesSecret(error, known)).toBe(true);
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
