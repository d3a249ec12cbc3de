// Passwords in addresses are redacted everywhere, and a secret in a file is one for all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { redactPassword } from "../../src/core/base/hide-secrets.ts";
import { secretIn } from "../../src/cli/secret-file.ts";
import { secretsOf, redact } from "../../src/cli/secrets.ts";
import { scratch } from "../store/scratch.ts";

const { dir, remove } = scratch();
afterAll(remove);

test.each([
  ["postgres://me:hunter%402@db/prod", "hunter%402", "hunter@2"],
  ["postgres://db/prod?user=me&password=hunter%402&ssl=1", "hunter%402", "hunter@2"],
  ["postgres://db/prod?sslpassword=hunter2#x", "hunter2"],
  ["redis://:hunter2@cache:6379/0", "hunter2"],
])("The password of %s is redacted, encoded and decoded", (url, ...passwords) => {
  for (const [env, args] of [
    [{ DATABASE_URL: url }, []],
    [{}, ["--store", url]],
  ] as const) {
    const text = redact(`could not connect as ${passwords.join(" or ")}`, secretsOf(env, args));
    expect(text).toBe(`could not connect as ${passwords.map(() => "***").join(" or ")}`);
  }
  expect(redactPassword(url)).not.toContain("hunter");
});

test("The keys of all providers are redacted", () => {
  for (const name of [
    "OPENAI_API_KEY",
    "DASHSCOPE_API_KEY",
    "ANTHROPIC_API_KEY",
    "GOOGLE_GENERATIVE_AI_API_KEY",
  ])
    expect(redact("key k-123 is wrong", secretsOf({ [name]: " k-123 " }, []))).toBe("key *** is wrong");
});

test("all who ask for a secret at the same time get the same one", async () => {
  for (let each = 0; each < 500; each++) {
    const asked = Array.from({ length: 8 }, async () => secretIn(join(dir, String(each), "key"), 32));
    const secrets = new Set(await Promise.all(asked));
    expect([...secrets].map(({ length }) => length)).toEqual([43]);
  }
});

test("an empty file is no secret", () => {
  const file = join(dir, "empty");
  writeFileSync(file, "\n");
  expect(() => secretIn(file, 32)).toThrow(/Expected a secret in .*empty/);
});
