// Each benchmark of package.json says with --help how it is called, and refuses an option that it does not know.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
  readonly scripts: { readonly [name: string]: string };
};
const BENCHES = Object.entries(scripts).flatMap(([name, script]) => {
  const [, args] = /node ((?:--\S+ )*bench\/\S+)$/.exec(script) ?? [];
  return args === undefined ? [] : [[name, args.split(" ")] as const];
});

const ended = (args: readonly string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });

test("there is a benchmark for each script of that name", () => {
  expect(BENCHES.map(([name]) => name)).toEqual(
    Object.keys(scripts).filter((name) => /^(?:bench|crash)\b/.test(name)),
  );
});

test.each(BENCHES)("npm run %s -- --help says how it is called", async (name, args) => {
  const { code, stdout, stderr } = await ended([...args, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^(?:Audits|Compares|Kills|Measures|Says|Simulates) /);
  expect(stdout).toContain(`Usage: npm run ${name}`);
  expect(stdout).toContain("--help");
});

test.each(BENCHES)("npm run %s refuses an option that it does not know", async (name, args) => {
  const { code, stdout, stderr } = await ended([...args, "--unheard"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^Unknown option '--unheard'/);
  expect(stderr).toContain(`Usage: npm run ${name}`);
});
