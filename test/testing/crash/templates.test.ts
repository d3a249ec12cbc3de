// The crash test finds nothing in the projects of `npm create agentchart` whose agents workers run.
import { cpSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { crashTest } from "agentchart/testing";
import { isSoak } from "../../laws/kill/live.ts";
import { ROOT } from "../../project/source-files.ts";
import { scratch } from "../../store/scratch.ts";

const TEMPLATES = join(ROOT, "create/templates");

/** The templates, what the user says, and a kill in each; with SOAK=1 all points. */
const SAID: readonly [template: string, input: readonly string[], at: string][] = [
  ["worker-postgres", ["Where is order 17?", "And now?"], "kill:tool:order_status:1:after"],
  ["chat-page", ["Roll two dice.", "Teach me a game."], "kill:append:5:after"],
];

test.each(SAID)(
  "crashTest finds nothing in the template %s",
  { timeout: 3_600_000 },
  async (name, input, at) => {
    const { dir, remove } = scratch();
    onTestFinished(remove);
    for (const from of [name, "shared"]) cpSync(join(TEMPLATES, from), dir, { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
    writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
    const scenario = `export { default } from "./agents.ts";\nexport const scenario = { input: ${JSON.stringify(input)} };\n`;
    writeFileSync(join(dir, "crash.ts"), scenario);
    const options = isSoak ? { timeLimitMs: 3_600_000 } : { at: [at] };
    const report = await crashTest(join(dir, "crash.ts"), { lifeLimitMs: 120_000, ...options });
    onTestFinished(() =>
      rmSync(dirname(report.store.slice("sqlite:".length)), { recursive: true, force: true }),
    );
    expect(report).toMatchObject({ state: "sound", findings: [] });
    expect(report.points).toMatchObject({ unreached: 0, run: report.points.total });
    expect(report.points.total).toBeGreaterThan(0);
  },
);
