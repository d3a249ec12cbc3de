// The command `inspect`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent } from "agentchart";
import { fileStore } from "agentchart/store/file";
import { scriptedModel } from "agentchart/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { agentchart, start, type Started } from "./agentchart.ts";
import { BARE_ENV } from "../support/bare-env.ts";

// Every test starts processes, on machines that are busy with other tests.

function home(): string {
  const path = mkdtempSync(join(tmpdir(), "agentchart-cli-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

type Inspecting = Started & { readonly link: URL; readonly token: string };

async function inspect(place: string, ...flags: readonly string[]): Promise<Inspecting> {
  const started = start(["inspect", ...flags], { env: { HOME: place } });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  let output = "";
  started.child.stdout!.on("data", (text: string) => (output += text));
  await started.printed("Ctrl-C ends it");
  await expect.poll(() => output).toContain("\n");
  const link = new URL(output.trim());
  return { ...started, link, token: new URLSearchParams(link.hash.slice(1)).get("t")! };
}

const rowsOf = async ({ link, token }: Inspecting): Promise<readonly { runId: string; source: string }[]> => {
  const answer = await fetch(new URL("/api/runs", link), { headers: { authorization: `Bearer ${token}` } });
  return ((await answer.json()) as { rows: readonly { runId: string; source: string }[] }).rows;
};

/** How often the run was stopped, and the last state that it entered before. */
async function endOf({ link, token }: Inspecting, runId: string): Promise<object> {
  const answer = await fetch(new URL(`/api/runs/${runId}/steps?from=1`, link), {
    headers: { authorization: `Bearer ${token}` },
  });
  const { items } = (await answer.json()) as { items: readonly { e: string; x: readonly string[] }[] };
  return { last: items.at(-1)?.x.at(-1) };
}

describe("agentchart inspect", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "prints only the link on stdout, and ends with %s",
    async (signal) => {
      const place = home();
      const file = join(place, ".agentchart", "inspect.json");
      const running = await inspect(place);
      expect(running.link.origin).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
      expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
        url: running.link.origin,
        token: running.token,
        pid: running.child.pid,
      });
      running.child.kill(signal);
      const { code, stdout, stderr } = await running.finished;
      expect([code, stdout.trim().split("\n").length]).toEqual([0, 1]);
      expect(stderr).not.toContain(running.token);
      expect(existsSync(file)).toBe(false);
    },
  );

  test("shows the sessions of a store and of files, and agents of other processes", async () => {
    const place = home();
    const dir = join(place, "sessions");
    const store = fileStore({ dir });
    for (const sessionId of ["one", "two"]) {
      const agent = createAgent({ name: "bot", store, sessionId, model: scriptedModel(["hi"]) });
      await agent.call("hello");
      await agent.close();
    }
    await store.close();
    const exported = join(place, "two.ndjson");
    const env = { HOME: place };
    expect(
      (await agentchart(["sessions", "export", "two", "--store", `file:${dir}`, "--out", exported], { env }))
        .code,
    ).toBe(0);
    rmSync(join(dir), { recursive: true });
    const again = fileStore({ dir });
    const agent = createAgent({ name: "bot", store: again, sessionId: "one", model: scriptedModel(["hi"]) });
    await agent.call("hello");
    await agent.close();
    await again.close();
    const running = await inspect(place, "--store", `file:${dir}`, "--open", exported, "--readonly");
    expect((await rowsOf(running)).map(({ runId, source }) => [runId, source])).toEqual([
      ["two", "file"],
      ["one", "store"],
    ]);
    const script = join(import.meta.dirname, "fixtures", "inspected-agent.ts");
    for (const end of ["closed", "left"]) {
      const child = spawnSync(process.execPath, ["--conditions=agentchart-source", script, end], {
        env: { ...BARE_ENV, HOME: place },
        encoding: "utf8",
      });
      expect([child.status, child.stderr]).toEqual([0, ""]);
      await expect.poll(async () => (await rowsOf(running))[0]).toMatchObject({ runId: end, source: "live" });
      await expect.poll(() => endOf(running, end)).toEqual({ last: "agent.stopped.settling||1" });
    }
  });

  test("reports a wrong port, flag, store or file in one line", async () => {
    const place = home();
    const { port } = (await inspect(home())).link;
    const env = { HOME: place };
    const taken = await agentchart(["inspect", "--port", port], { env });
    expect([taken.code, taken.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^agentchart: Another program listens on 127\.0\.0\.1:\d+: choose another port\.\n$/,
      ) as never,
    ]);
    for (const [flags, problem] of [
      [["--port", "70000"], "It must be an integer from 0 to 65535."],
      [["--port", "x"], "It must be an integer from 0 to 65535."],
      [["now"], "Expected 0 arguments but got 1: now"],
      [["--readnly"], "Did you mean '--readonly'?"],
    ] as const) {
      const { code, stderr } = await agentchart(["inspect", ...flags], { env });
      expect([code, stderr]).toEqual([2, expect.stringContaining(problem) as never]);
    }
    const unreachable = await agentchart(["inspect", "--store", "postgres://user@127.0.0.1:1/none"], { env });
    expect([unreachable.code, unreachable.stdout, unreachable.stderr]).toEqual([
      1,
      "",
      expect.stringMatching(/^agentchart: Postgres: could not list/) as never,
    ]);
    const bad = join(place, "bad.ndjson");
    writeFileSync(bad, "nothing\n");
    const refused = await agentchart(["inspect", "--open", bad], { env });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining("is neither an exported run nor an exported session") as never,
    ]);
  });

  test("warns that other machines can reach its host", async () => {
    const running = start(["inspect", "--host", "0.0.0.0"], { env: { HOME: home() } });
    onTestFinished(() => void running.child.kill("SIGKILL"));
    await running.printed("Other machines can reach 0.0.0.0");
  });
});
