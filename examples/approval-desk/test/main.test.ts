import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { BARE_ENV } from "../../../test/support/bare-env.ts";

vi.setConfig({ testTimeout: 120_000 });
const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

function run(...args: readonly string[]) {
  const child = spawn(process.execPath, ["--conditions=agentchart-source", MAIN, ...args], {
    env: { ...BARE_ENV, LANG: "C.UTF-8" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (output[name] += text));
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { child, output, ended };
}

test("One command starts everything on a Postgres of its own, prints the link, and cleans up at Ctrl-C", async () => {
  const { child, output, ended } = run();
  await expect.poll(() => output.stdout, { timeout: 60_000 }).toContain("Ctrl-C ends it.");
  const [, url, token] = /Refunds desk: (http:\/\/127\.0\.0\.1:\d+)\/#token=(\S+)/.exec(output.stdout)!;
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ agent: "desk", input: "Order 1004, money back please" });
  const made = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body });
  const { id } = (await made.json()) as { readonly id: string };
  await expect.poll(() => output.stdout, { timeout: 30_000 }).toContain(`left desk/${id}, suspended`);

  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(output.stdout.trimEnd().split("\n").at(-1)).toBe("Closed.");
  expect(output.stderr).toBe("");
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
});

test("explains itself", async () => {
  const { output, ended } = run("--help");
  expect(await ended).toBe(0);
  expect(output.stdout).toContain("npm run desk");
});
