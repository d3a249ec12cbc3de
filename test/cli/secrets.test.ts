// Passwords in addresses are redacted everywhere.
import { expect, test } from "vitest";
import { redactPassword } from "../../src/cli/open-store.ts";
import { secretsOf, redact } from "../../src/cli/secrets.ts";

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
