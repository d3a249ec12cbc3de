// The examples in docstrings compile, and so do the programs in the pages.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { parse } from "yaml";
import { pagePrograms } from "../support/page-programs.ts";
import { exportedFunctions } from "./examples.ts";
import { ROOT } from "./source-files.ts";

/** In the repository, so that the examples find the package and what it depends on. */
const FOLDER = join(ROOT, "build/compiled-examples");
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

/** The types of the example that a page uses, which is JavaScript. */
const RESTATE = `
  import type { Queue } from "agentchart/worker";
  export function restateTransport(options: { ingress: string; admin: string; port: number }): Promise<{ open(): Queue }>;
`;

const skill = readFileSync(join(ROOT, "skills/agentchart/SKILL.md"), "utf8");
const skillFolder = join(FOLDER, "skill");

/** Writes the files that the skill for coding agents tells of. */
function writeSkill(): void {
  mkdirSync(skillFolder, { recursive: true });
  const files = [...skill.matchAll(/^```ts (\S+)\n([^]*?)^```$/gm)];
  expect(files.map(([, name]) => name)).toEqual(["desk.ts", "desk.test.ts", "main.ts"]);
  for (const [, name, code] of files) writeFileSync(join(skillFolder, name!), code!);
}

test("the compiler accepts the examples of all exported functions, the files of the skill, and the programs of the pages", async () => {
  writeSkill();
  const programs = pagePrograms();
  expect(programs.length).toBeGreaterThan(30);
  for (const { name, code } of programs) writeFileSync(join(FOLDER, `${name}.ts`), `${code}\nexport {};\n`);
  writeFileSync(join(FOLDER, "restate-queue.d.mts"), RESTATE);
  for (const { name, example = "" } of await exportedFunctions())
    writeFileSync(join(FOLDER, `${name.replaceAll(/\W+/g, "-")}.ts`), `${example}\nexport {};\n`);
  const config = { extends: join(ROOT, "tsconfig.json"), include: ["**/*.ts"] };
  writeFileSync(join(FOLDER, "tsconfig.json"), JSON.stringify(config));
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout, status } = spawnSync(process.execPath, [compiler, "-p", FOLDER], { encoding: "utf8" });
  expect({ stdout, status }).toEqual({ stdout: "", status: 0 });
});

test("the skill for coding agents has a head, and its test passes as it stands", () => {
  const [, head = ""] = /^---\n([^]*?)\n---\n/.exec(skill)!;
  expect(parse(head)).toEqual({ name: "agentchart", description: expect.stringMatching(/^Write, test/) });
  writeSkill();
  const args = ["--conditions=agentchart-source", "--test", "desk.test.ts"];
  // a runner within a runner would only report to it
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { stdout } = spawnSync(process.execPath, args, { cwd: skillFolder, encoding: "utf8", env });
  expect(stdout).toContain("pass 2\n");
});
