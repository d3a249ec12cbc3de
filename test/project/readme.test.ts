import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { agentMachine, chartJson } from "agentchart/machines";
import { ROOT } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const readme = read("README.md");
const { scripts } = JSON.parse(read("package.json")) as {
  readonly scripts: { readonly [name: string]: string };
};

function blocks(language: string, text = readme): readonly string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(([, code]) => code!);
}

// Inside the repository, so that `agentchart` is found; a dot folder, so that no other tool sees it.
const folder = join(import.meta.dirname, ".snippets");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("every TypeScript block compiles, each going on from the first", { timeout: 60_000 }, () => {
  const [first = "", ...others] = blocks("ts");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: "../../../tsconfig.json", include: ["*.ts"] }),
  );
  for (const [index, block] of ["", ...others].entries()) {
    writeFileSync(join(folder, `snippet-${index + 1}.ts`), `${first}\n${block}`);
  }
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  let problems = "";
  try {
    execFileSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
  } catch (error) {
    problems = (error as { readonly stdout: string }).stdout;
  }
  expect(problems).toBe("");
  expect(others.length).toBeGreaterThan(5);
});

test("the two commands are those that package.json and .ci/run run", () => {
  expect(blocks("sh")[0]).toBe("npm ci && npm run demo\nnpm ci && npm test\n");
  expect(scripts["demo"]).toContain("examples/data-analyst/main.ts");
  expect(scripts["test"]).toMatch(/^vitest run\b/);
  const ci = read(".ci/run");
  expect(ci).toMatch(/^step npm ci$/m);
  expect(ci).toMatch(/^step suite npm test\b/m);
});

test("every script and file it names exists", () => {
  const named = [...readme.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name!);
  expect(named.filter((name) => !scripts[name])).toEqual([]);
  const links = [...readme.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(([, link]) => link!);
  expect(links.length).toBeGreaterThan(2);
  expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
});

test("the drawing is the top level of the machine, less the ways in after a restore", () => {
  const [drawing = ""] = blocks("mermaid");
  const drawn = [...drawing.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} → ${to}`);
  const top = (id: string): string => id.split(".")[1] ?? "";
  const { nodes, edges } = chartJson(agentMachine);
  const crossing = edges
    .filter(({ event }) => event !== "session.resume")
    .flatMap(({ source, targets }) => targets.map((target) => [top(source), top(target)] as const))
    .filter(([from, to]) => from !== "" && from !== to)
    .map(([from, to]) => `${from} → ${to}`);
  expect(new Set(drawn)).toEqual(new Set(crossing));
  expect(drawing).toContain(`[*] --> ${top(nodes[0]!.initial!)}`);
});

test("it stays short", () => {
  expect(readme.trimEnd().split("\n").length).toBeLessThanOrEqual(200);
});

test("what stands for AgentScope's names in docs/from-agentscope.md is in the package", async () => {
  const modules = await Promise.all([
    import("agentchart"),
    import("agentchart/openai"),
    import("agentchart/session"),
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
