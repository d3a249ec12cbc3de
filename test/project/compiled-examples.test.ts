// The examples in docstrings compile.
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { exportedFunctions } from "./examples.ts";
import { ROOT } from "./source-files.ts";

/** In the repository, so that the examples find the package and what it depends on. */
const FOLDER = join(ROOT, "build/compiled-examples");
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

test("the compiler accepts the examples of all exported functions", async () => {
  mkdirSync(FOLDER, { recursive: true });
  for (const { name, example = "" } of await exportedFunctions())
    writeFileSync(join(FOLDER, `${name.replaceAll(/\W+/g, "-")}.ts`), `${example}\nexport {};\n`);
  const config = { extends: join(ROOT, "tsconfig.json"), include: ["*.ts"] };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", FOLDER], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});
