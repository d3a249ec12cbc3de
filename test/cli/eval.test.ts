// The command `eval`.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { evalCommand } from "../../src/cli/eval-command.ts";
import { openTerminal } from "../../src/cli/terminal.ts";

const SUITE = `import { reply, used } from "agentchart/evals";
import { scriptedModel } from "agentchart/testing";
export default {
  name: "greetings",
  agent: ({ name }) => ({ name: "greeter", model: scriptedModel([process.env.GREETS === name ? "Go away." : "Hello " + name]) }),
  cases: [{ name: "ada", input: "Hi.", expected: "ada" }, { name: "bob", input: "Hi.", expected: "bob" }],
  judge: [reply.contains(), used("search").never()],
};
`;

/** A folder with a suite, and what evaluates it. */
function fixture(text = SUITE) {
  const folder = mkdtempSync(join(import.meta.dirname, ".eval-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  onTestFinished(() => void delete process.env["GREETS"]);
  const suite = join(folder, "suite.ts");
  writeFileSync(suite, text);
  const run = async (more: object = {}, isTTY = false) => {
    const written = { stdout: "", stderr: "" };
    const output = (name: "stdout" | "stderr") => ({
      isTTY,
      write: (part: string) => void (written[name] += part),
    });
    const io = { stdout: output("stdout"), stderr: output("stderr") };
    const terminal = openTerminal(io.stdout as never, io.stderr as never, { NO_COLOR: "1" } as never);
    const flags = { case: [], json: false, ...more } as never;
    const code = await evalCommand({ args: { suite }, flags }, { ...io, terminal } as never);
    return { code, ...written };
  };
  return {
    run,
    file: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), "utf8"),
  };
}

test("eval prints a report as JSON, writes it, and compares with it", async () => {
  const { run, file, read } = fixture();
  const first = await run({ out: file("main.json"), junit: file("main.xml") });
  expect(first.code).toBe(0);
  expect(JSON.parse(first.stdout)).toMatchObject({ report: { counts: { passed: 2 }, passed: { rate: 1 } } });
  expect(JSON.parse(read("main.json"))).toMatchObject({ name: "greetings", counts: { passed: 2 } });
  expect(read("main.xml")).toContain('<testsuite name="greetings" tests="2" failures="0"');
  process.env["GREETS"] = "bob";
  const second = await run({ compare: file("main.json"), min: 0.5 });
  expect(second.code).toBe(0); // half is enough, and one of two is not proof
  expect(JSON.parse(second.stdout)).toMatchObject({
    comparison: { pairs: 2, worse: [{ case: "bob" }], p: 1 },
  });
  expect((await run()).code).toBe(1);
  writeFileSync(file("printed.json"), second.stdout); // what the command prints is a report, too
  const third = await run({ compare: file("printed.json"), min: 0.5 });
  expect(JSON.parse(third.stdout)).toMatchObject({ comparison: { pairs: 2, worse: [], better: [] } });
});

test("eval tells a terminal which runs did not pass and why", async () => {
  const { run } = fixture();
  process.env["GREETS"] = "bob";
  const { code, stdout, stderr } = await run({ repeat: 2 }, true);
  expect(code).toBe(1);
  expect(stdout).toContain('greetings/bob/1  failed  reply contains: The reply lacks "bob".');
  expect(stdout).toContain("2 passed, 2 failed, 0 errors, 0 skipped\n50 % passed (95 %: 15 % to 85 %)");
  expect(stdout).toContain("one of 2 passes: 50 %; all 2 pass: 50 %");
  expect(stderr).toContain("4 of 4");
});

test("eval with a store goes on, and its sessions are there", async () => {
  const { run, file } = fixture();
  const store = `sqlite:${file("sessions.db")}`;
  expect((await run({ store })).code).toBe(0);
  process.env["GREETS"] = "bob"; // nobody asks the model again
  expect((await run({ store })).code).toBe(0);
});

test("eval runs the cases that are asked for", async () => {
  const { run } = fixture();
  const { stdout } = await run({ case: ["ada"] });
  expect((JSON.parse(stdout) as { report: { results: object[] } }).report.results).toHaveLength(1);
  await expect(run({ case: ["eve"] })).rejects.toThrow("The suite has no case 'eve'.");
});

test("eval makes the folders of what it writes", async () => {
  const { run, file, read } = fixture();
  expect((await run({ out: file("a/b/main.json"), junit: file("c/main.xml") })).code).toBe(0);
  expect(JSON.parse(read("a/b/main.json"))).toMatchObject({ name: "greetings" });
  expect(read("c/main.xml")).toContain("<testsuites");
});

/** A suite that says when an agent of it is made. */
const LOUD = SUITE.replace('({ name: "greeter"', "({ name: process.exit(9)");

test.each<[what: string, flags: (file: (name: string) => string) => object, words: string]>([
  ["an --out that is a folder", (file) => ({ out: file(".") }), "is a folder"],
  ["a --junit behind a file", (file) => ({ junit: file("suite.ts/x.xml") }), "--junit"],
  ["a --compare of another suite", (file) => ({ compare: file("other.json") }), "a report of 'other'"],
  [
    "a --compare with a run twice",
    (file) => ({ compare: file("twice.json") }),
    "two results of the case 'ada'",
  ],
  ["a --compare that is of an experiment", (file) => ({ compare: file("rows.json") }), "`name` is missing"],
])("eval refuses %s before anything runs", async (_, flags, words) => {
  const { run, file } = fixture(LOUD);
  const passed = (name: string) => ({ case: name, repeat: 1, state: "passed" });
  writeFileSync(file("other.json"), JSON.stringify({ name: "other", results: [passed("eve")] }));
  const twice = { name: "greetings", results: [passed("ada"), passed("ada")] };
  writeFileSync(file("twice.json"), JSON.stringify(twice));
  writeFileSync(file("rows.json"), JSON.stringify({ rows: [], counts: {} }));
  await expect(run(flags(file))).rejects.toThrow(words);
});

test.each([
  ["a suite that is none", "export default 5;", {}, "exports no suite"],
  ["a share above 1", SUITE, { min: 90 }, "--min"],
  ["a report that is not there", SUITE, { compare: "/nowhere.json" }, "--compare"],
  ["a suite with a wrong option", SUITE.replace("cases:", "retries: 1, cases:"), {}, "retries"],
])("eval refuses %s", async (_, text, flags, words) => {
  await expect(fixture(text).run(flags)).rejects.toThrow(words);
});
