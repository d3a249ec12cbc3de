// The README does what it says.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const readme = read("README.md");

test("the README's two commands are those that package.json and .ci/run run", () => {
  const { scripts } = JSON.parse(read("package.json")) as {
    readonly scripts: { readonly [name: string]: string };
  };
  const [, commands] = /^## Try it[^]*?^```sh\n([^]*?)^```/m.exec(readme) ?? [];
  expect(commands).toBe("npm ci && npm run demo\nnpm ci && npm test\n");
  expect(scripts["demo"]).toContain("examples/data-analyst/main.ts");
  expect(scripts["test"]).toMatch(/^vitest run\b/);
  const ci = read(".ci/run");
  expect(ci).toMatch(/^step npm ci$/m);
  expect(ci).toMatch(/\bstep suite npm test\b/);
});

test("the first thing that the README shows is examples/hello.ts", () => {
  expect(/^```.*$/m.exec(readme)?.[0]).toBe("```ts examples/hello.ts");
});

test("getting started sets a project up with the commands of the README", () => {
  const [, block = ""] = /^```sh\n(npm init[^]*?)^```/m.exec(readme) ?? [];
  const commands = block.trim().split("\n").slice(0, -1);
  expect(commands).toHaveLength(4);
  const page = read("docs/guide/getting-started.md");
  expect(commands.filter((command) => !page.includes(`\n${command}\n`))).toEqual([]);
});

test("the README is at most 150 lines long", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("what docs/from-agentscope.md names in place of AgentScope's names is in the package", async () => {
  const modules = await Promise.all([
    import("agentchart"),
    import("agentchart/openai"),
    import("agentchart/session"),
    import("agentchart/team"),
    import("agentchart/store/file"),
    import("agentchart/store/memory"),
    import("agentchart/store/postgres"),
    import("agentchart/store/sqlite"),
  ]);
  const exported = new Set(modules.flatMap((module) => Object.keys(module)));
  const here = [...read("docs/from-agentscope.md").matchAll(/^\| [^|]+ \| ([^|]+) \|/gm)].map(
    ([, cell]) => cell!,
  );
  const functions = here.flatMap(
    (cell) => cell.match(/\b(?:create\w+|\w+(?:Store|Manager|Model|Msg))\b/g) ?? [],
  );
  expect(functions.length).toBeGreaterThan(5);
  expect(functions.filter((name) => !exported.has(name) && name !== "fallbackModel")).toEqual([]);
});
