// Wrong command lines and files of workers and servers.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { agentchart } from "./agentchart.ts";

// Every test starts a process, on machines that are busy with other tests.

const folder = mkdtempSync(join(tmpdir(), "agentchart-input-"));

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const SQLITE = ["--store", `sqlite:${join(folder, "s.db")}`];
const STORE = [...SQLITE, "--queue", "memory"];
const AGENTS = ["--agents", file("agents.ts", "export const agents = { desk: () => ({}) };")];

describe("A wrong command line exits with 2 and one line", () => {
  test.for([
    [["worker"], "Required option '--agents <FILE>' not specified."],
    [["worker", ...AGENTS, "x"], "Too many arguments for 'worker'. Expected 0 arguments but got 1: x."],
    [["wroker"], "Unknown command 'wroker'. Did you mean 'worker'?"],
    [
      ["worker", ...AGENTS, "--concurency", "3"],
      "Unknown option '--concurency'. Did you mean '--concurrency'?",
    ],
    [
      ["worker", ...AGENTS, "--concurrency", "0"],
      "Option '--concurrency <N>' argument '0' is invalid. It must be an integer of at least 1.",
    ],
    [
      ["worker", ...AGENTS, "--sweep-ms", "x"],
      "Option '--sweep-ms <MS>' argument 'x' is invalid. It must be an integer of at least 0.",
    ],
    [
      ["worker", ...AGENTS, "--rate", "60"],
      "Option '--rate <N/s|min|h>' argument '60' is invalid. It must look like 5/s, 60/min or 1000/h.",
    ],
    [
      ["serve", ...STORE, "--origin", "app.example.com"],
      "Option '--origin <ORIGIN>' argument 'app.example.com' is invalid. It must look like https://app.example.com.",
    ],
    [
      ["worker", ...AGENTS, "--health-port", "70000"],
      "Option '--health-port <PORT>' argument '70000' is invalid. It must be an integer from 0 to 65535.",
    ],
    [
      ["worker", ...AGENTS, "--log-level", "wran"],
      "Option '--log-level <LEVEL>' argument 'wran' is invalid. Allowed choices are debug, info, warn, error, silent.",
    ],
    [
      ["worker", ...AGENTS],
      "Missing store: use --store sqlite:PATH, file:DIR or postgres://…, or set DATABASE_URL.",
    ],
    [["worker", ...AGENTS, "--store", "postgres"], "The environment variable DATABASE_URL is not set."],
    [
      ["worker", ...AGENTS, ...STORE.slice(0, 2)],
      "Missing queue: use --queue redis://…, postgres://… or memory.",
    ],
    [["worker", ...AGENTS, ...SQLITE, "--queue", "redis"], "The environment variable REDIS_URL is not set."],
    [
      ["worker", ...AGENTS, ...SQLITE, "--queue", "amqp://me:secret@h/q"],
      'Unknown queue "amqp://me:[redacted]@h/q": use --queue redis://…, postgres://… or memory.',
    ],
    [
      ["serve", ...STORE],
      "Missing tokens: use --tokens FILE or AGENTCHART_TOKENS, or --insecure-no-auth to allow every request from this machine.",
    ],
    [
      ["serve", ...STORE, "--insecure-no-auth", "--host", "0.0.0.0"],
      "'--insecure-no-auth' is for this machine only, not for --host 0.0.0.0.",
    ],
    [
      ["serve", ...STORE, "--insecure-no-auth", "--tokens", "t.json"],
      "'--tokens' and '--insecure-no-auth' exclude each other.",
    ],
    [["dead-letters"], "Missing command: use ls, retry."],
    [["dead-letters", "rety"], "Unknown command 'rety'. Did you mean 'retry'?"],
    [["dead-letters", "retry", ...STORE], "Name the sessions to retry, or use '--all'."],
    [["dead-letters", "retry", "s", "--tenant", "acme", ...STORE], "'--tenant' needs '--all'."],
    [["dead-letters", "retry", "s", "--all", ...STORE], "Name the sessions to retry, or use '--all'."],
  ] as const)("%j", async ([args, problem]) => {
    const { code, stdout, stderr } = await agentchart(args);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^agentchart: .* See "agentchart .*--help"\.\n$/);
    expect(stderr).toContain(`agentchart: ${problem} See `);
  });
});

describe("An unusable file exits with 1 and one line with the reason", () => {
  const none = file("none.ts", "export default {};");
  const strange = file("strange.ts", "export default { desk: 3 };");
  const broken = file("broken.ts", "export default {");
  const text = file("tokens.txt", "acme: secret-of-acme");
  const short = file("short.json", '[{ "tenant": "acme", "scopes": ["read"], "token": "secret" }]');
  test.for([
    [["worker", "--agents", join(folder, "gone.ts"), ...STORE], "The agents file "],
    [["worker", "--agents", none, ...STORE], "none.ts exports no agents: use "],
    [["worker", "--agents", strange, ...STORE], '"desk" in '],
    [["worker", "--agents", broken, ...STORE], "broken.ts"],
    [["serve", "--tokens", join(folder, "gone.json"), ...STORE], "--tokens cannot be read: ENOENT"],
    [["serve", "--tokens", text, ...STORE], "tokens.txt is not JSON: Unexpected token 'a'."],
    [
      ["serve", "--tokens", short, ...STORE],
      "`[0].token` is a string; expected at least 20 visible ASCII characters.",
    ],
  ] as const)("%j", async ([args, problem]) => {
    const { code, stdout, stderr } = await agentchart(args);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr.split("\n")).toHaveLength(2);
    expect(stderr).toContain(problem);
    expect(stderr).not.toContain("secret");
  });
});
