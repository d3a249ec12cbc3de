// A secret in a file is one for all.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { secretIn } from "../../src/cli/secret-file.ts";
import { scratch } from "../store/scratch.ts";

const { dir, remove } = scratch();
afterAll(remove);

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
