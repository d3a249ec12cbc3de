// The crash test finds planted faults.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  crashTest,
  type CrashFindingKind,
  type CrashReport,
  type CrashTestOptions,
} from "agentchart/testing";

const AGENTS = join(import.meta.dirname, "agents");
const FAULTY = join(AGENTS, "faulty.ts");
const NEXT = join(AGENTS, "next.ts");

/** Tests, and deletes the folder of the sessions. */
async function tested(file: string, options: CrashTestOptions): Promise<CrashReport> {
  const report = await crashTest(file, options);
  onTestFinished(() =>
    rmSync(dirname(report.store.slice("sqlite:".length)), { recursive: true, force: true }),
  );
  return report;
}

/** The faults, the point that shows each, what is found there, and the tool that it is about. */
const PLANTED: readonly [fault: string, at: string, kind: CrashFindingKind, subject?: string][] = [
  ["says idempotent and is not", "repeat:pay", "not-idempotent", "pay"],
  ["makes a key of its own", "repeat:pay", "not-idempotent", "pay"],
  ["is tried again after it wrote", "kill:tool:pay:1:after", "effects-changed"],
  ["counts in a tool", "kill:tool:ticket:2:before", "result-changed"],
  ["counts in a hook", "kill:tool:pay:2:before", "result-changed"],
  ["approves by index", "kill:decided:1.1", "approval-mistaken", "pay"],
  ["ignores the lease", "stop:tool:pay:1:after", "lease-ignored", "open"],
  ["cuts the lease", "stop:tool:pay:1:after", "lease-ignored", "open"],
  ["writes later", "kill:tool:pay:1:after", "effect-twice", "pay"],
  ["forgets what waits", "kill:decided:1.1", "approval-lost", "pay"],
  ["hangs after a restart", "kill:tool:hang:1:after", "endless"],
  ["is another release in each process", "kill:waiting:1", "cannot-open", "session/agent-changed"],
  ["permits in memory", "kill:append:3:before", "approval-mistaken", "pay"],
  ["logs in to memory", "kill:tool:read_mail:1:before", "result-changed"],
  ["hides an agent", "kill:tool:delegate:1:after", "effects-changed"],
  ["acts in a hook", "kill:append:3:before", "effects-changed"],
  ["forgets its input", "kill:append:3:before", "lost-input"],
  ["fails in the next process", "kill:tool:pay:1:before", "failed", "hook/failed"],
  ["names its calls later", "kill:waiting:1", "approval-renamed", "pay"],
  ["pins in the next release", "kill@file:waiting:1", "cannot-open", "session/agent-changed"],
];

/** Every other fault in one run with CI=1, the others on the next day; all of them without it, and with SOAK=1. */
const DAY = Math.floor(Date.now() / 86_400_000);
const isWhole = !process.env["CI"] || process.env["SOAK"] === "1";
const CHOSEN = PLANTED.filter((_, place) => isWhole || (place + DAY) % 2 === 0);

describe("crashTest finds an agent that", () => {
  test.each(CHOSEN)("%s", async (...planted) => {
    const [scenario, at, kind, subject] = planted;
    const release = at.includes("@file") ? { release: NEXT } : {};
    const lifeLimitMs = kind === "endless" ? 30_000 : 60_000;
    const report = await tested(FAULTY, { scenario, at: [at], lifeLimitMs, ...release });
    expect(report).toMatchObject({ state: "faulty", points: { total: 1, run: 1 } });
    expect(report.findings).toContainEqual(
      expect.objectContaining({ kind, at, ...(subject !== undefined && { subject }) }),
    );
  });
});

test("crashTest advises idempotent for a tool that did no more the second time", async () => {
  const report = await tested(FAULTY, { scenario: "does not say idempotent", at: ["repeat:look"] });
  expect(report).toMatchObject({
    state: "sound",
    advice: [{ tool: "look", advice: "could-be-idempotent" }],
  });
});

test("crashTest reports a scenario that never ends", async () => {
  const report = await tested(FAULTY, { scenario: "never ends", lifeLimitMs: 5_000 });
  expect(report).toMatchObject({ state: "endless", error: { code: "run/timeout" }, points: { run: 0 } });
});

test("crashTest finds nothing in a clock that says the same in the first two runs, and another time later", async () => {
  const folder = mkdtempSync(join(tmpdir(), "agentchart-late-clock-"));
  vi.stubEnv("LATE_CLOCK", join(folder, "runs"));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true, force: true });
  });
  const at = ["kill:tool:clock:1:before"];
  expect(await tested(join(AGENTS, "late-clock.ts"), { at, lifeLimitMs: 60_000 })).toMatchObject({
    state: "sound",
    findings: [],
  });
});
