import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test, vi } from "vitest";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.
vi.setConfig({ testTimeout: 60_000 });

const folder = mkdtempSync(join(tmpdir(), "agentchart-input-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const STORE = ["--store", `sqlite:${join(folder, "s.db")}`, "--queue", "memory"];
const AGENTS = ["--agents", file("agents.ts", "export const agents = { desk: () => ({}) };")];

describe("A command line that is wrong exits with 2 and one line", () => {
  test.for([
    [["worker"], "Which agents? Say --agents FILE."],
    [["worker", "x"], '"x" is one word too many.'],
    [["wroker"], 'There is no command "wroker". Did you mean "worker"?'],
    [
      ["worker", ...AGENTS, "--concurency", "3"],
      'There is no flag "--concurency". Did you mean "--concurrency"?',
    ],
    [["worker", ...AGENTS, "--concurrency", "0"], '"--concurrency" must be a whole number from 1, not "0".'],
    [["worker", ...AGENTS, "--rate", "60"], '"--rate" must look like 5/s, 60/min or 1000/h, not "60".'],
    [
      ["worker", ...AGENTS, "--health-port", "70000"],
      '"--health-port" must be a port from 0 to 65535, not "70000".',
    ],
    [["worker", ...AGENTS, "--log-level", "wran"], 'There is no log level "wran". Did you mean "warn"?'],
    [
      ["worker", ...AGENTS],
      "Where are the sessions? Say --store sqlite:PATH, file:DIR or postgres://…, or set DATABASE_URL.",
    ],
    [["worker", ...AGENTS, "--store", "postgres"], "There is no DATABASE_URL in the environment."],
    [
      ["worker", ...AGENTS, ...STORE.slice(0, 2)],
      "Which queue wakes the workers? Say --queue redis://…, postgres://… or memory.",
    ],
    [["worker", ...AGENTS, ...STORE, "--queue", "redis"], "There is no REDIS_URL in the environment."],
    [
      ["worker", ...AGENTS, ...STORE, "--queue", "amqp://me:secret@h/q"],
      'There is no such queue: say --queue redis://…, postgres://… or memory, not "amqp://me:***@h/q".',
    ],
    [
      ["serve", ...STORE],
      "Who may ask? Say --tokens FILE or set AGENTCHART_TOKENS; on this machine only, --insecure-no-auth lets everybody.",
    ],
    [
      ["serve", ...STORE, "--insecure-no-auth", "--host", "0.0.0.0"],
      '"--insecure-no-auth" is for this machine only, not for --host 0.0.0.0.',
    ],
    [
      ["serve", ...STORE, "--insecure-no-auth", "--tokens", "t.json"],
      'Either "--tokens" or "--insecure-no-auth".',
    ],
    [["dead"], "Say what to do: agentchart dead ls or retry."],
    [["dead", "rety"], 'There is no command "dead rety". Did you mean "dead retry"?'],
    [["dead", "retry", ...STORE], "Which sessions? agentchart dead retry <id>…, or --all."],
    [["dead", "retry", "s", "--tenant", "acme", ...STORE], '"--tenant" needs "--all".'],
    [["dead", "retry", "s", "--all", ...STORE], "Which sessions? agentchart dead retry <id>…, or --all."],
  ] as const)("%j", async ([args, problem]) => {
    const { code, stdout, stderr } = await agentchart(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^agentchart: .* See "agentchart .*--help"\.\n$/);
    expect(stderr).toContain(`agentchart: ${problem} See `);
  });
});

describe("What cannot be used exits with 1 and one line that says why", () => {
  const none = file("none.ts", "export default {};");
  const strange = file("strange.ts", "export default { desk: 3 };");
  const broken = file("broken.ts", "export default {");
  const text = file("tokens.txt", "acme: secret-of-acme");
  const short = file("short.json", '[{ "tenant": "acme", "scopes": ["read"], "token": "secret" }]');
  test.for([
    [["worker", "--agents", join(folder, "gone.ts"), ...STORE], "There is no agents file "],
    [["worker", "--agents", none, ...STORE], "none.ts exports no agents: say "],
    [["worker", "--agents", strange, ...STORE], '"desk" in '],
    [["worker", "--agents", broken, ...STORE], "broken.ts"],
    [
      ["serve", "--tokens", join(folder, "gone.json"), ...STORE],
      "gone.json cannot be read (ENOENT): check --tokens.",
    ],
    [["serve", "--tokens", text, ...STORE], "tokens.txt is no JSON."],
    [["serve", "--tokens", short, ...STORE], "at 0.token: at least 20 characters."],
  ] as const)("%j", async ([args, problem]) => {
    const { code, stdout, stderr } = await agentchart(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.split("\n")).toHaveLength(2);
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain("secret");
  });
});
