// The commands and programs of the page about workers.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chatCompletionsServer } from "agentchart/testing";
import { NO_POSTGRES, startPostgres } from "../support/postgres.ts";
import { ROOT } from "../project/source-files.ts";
import { MAIN } from "./agentchart.ts";
import { helpOf } from "./program.ts";
import { BARE_ENV } from "../support/bare-env.ts";

const doc = readFileSync(join(ROOT, "docs/workers.md"), "utf8");
const block = (name: string): string =>
  new RegExp(`^\`\`\`\\w+ ${name}\\n([^]*?)^\`\`\``, "m").exec(doc)![1]!;

// Inside the repository, so that `agentchart` is found; a dot folder, so that no other tool sees it.
const folder = join(import.meta.dirname, ".docs-workers");

function makeFolder(): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const name of ["agents.ts", "dispatch.ts"]) writeFileSync(join(folder, name), block(name));
}

async function freePorts(): Promise<readonly [number, number]> {
  const open = () => createServer().listen(0, "127.0.0.1");
  const servers = [open(), open()] as const;
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  return ports as [number, number];
}

/** A model that calls the refund tool for the order of the message. */
const model = () =>
  chatCompletionsServer(({ messages }) => {
    const last = messages.at(-1)!;
    const [, orderId, cents] = /order (\d+), (\d+) cents/.exec(last.content as string) ?? [];
    if (last.role !== "user" || !orderId) return { content: `It says: ${last.content as string}` };
    const input = JSON.stringify({ orderId, cents: Number(cents) });
    return { tool_calls: [{ function: { name: "refund", arguments: input } }] };
  });

test("The TypeScript blocks of docs/workers.md compile", () => {
  makeFolder();
  const extended = { extends: "../../../tsconfig.json", include: ["*.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(extended));
  const tsc = join(ROOT, "node_modules/.bin/tsc");
  execFileSync(process.execPath, [tsc, "--project", folder], { encoding: "utf8" });
});

test("The commands of docs/workers.md run one after the other", async ({ skip }) => {
  const postgres = await startPostgres();
  if (!postgres) return skip(NO_POSTGRES);
  onTestFinished(postgres.stop);
  const server = await model();
  onTestFinished(() => server.close());
  makeFolder();
  const [port, healthPort] = await freePorts();
  const script = `set -eu
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
agentchart() { exec "$NODE" --conditions=agentchart-source "$MAIN" "$@"; }
until_true() { for _ in $(seq 1000); do if "$@" > /dev/null 2>&1; then return 0; fi; sleep 0.1; done; echo "never: $*" >&2; exit 1; }
${block("tokens")}
${block("start")}
until_true curl -sf http://127.0.0.1:8790/readyz
until_true curl -sf http://127.0.0.1:9100/readyz
${block("talk")}
is_stopped() { curl -s http://127.0.0.1:8790/v1/sessions/$id -H "$auth" | jq -e '.phase == "stopped"'; }
until_true is_stopped
until_true grep -q '"type":"turn.end","reason":"MODEL_STOP"' events.txt
"$NODE" --conditions=agentchart-source dispatch.ts
curl -s http://127.0.0.1:9100/metrics > metrics.txt
( ${block("dead-letters").trim().split("\n")[0]} ) ; ( ${block("dead-letters").trim().split("\n")[1]} )
for job in $(jobs -p); do kill $job; done
wait
`;
  const here = script.replaceAll("8790", String(port)).replaceAll("9100", String(healthPort));
  const env = {
    ...BARE_ENV,
    NODE: process.execPath,
    MAIN,
    DATABASE_URL: postgres.connectionString,
    OPENAI_BASE_URL: server.baseURL,
    OPENAI_API_KEY: "test-key",
  };
  const child = spawn("bash", ["-c", here], { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await new Promise((resolve) => child.once("close", resolve));
  expect([code, stderr]).toEqual([0, expect.stringContaining('"state":"closed"')]);
  expect(stdout).toContain('"state":"accepted"');
  expect(stdout).toMatch(/sessionId: 'acme\/ticket-18',\s+agent: 'desk',\s+phase: 'suspended'/);
  const events = readFileSync(join(folder, "events.txt"), "utf8");
  expect(events).toMatch(/^id: \d+\.\d+$/m);
  expect(events).toContain("refunded 4900 for 1001");
  const metrics = readFileSync(join(folder, "metrics.txt"), "utf8");
  const named = [...doc.matchAll(/(?<!schema )`(agentchart_\w+)(?:\{\w+(?:,\w+)*\})?`/g)].map(
    ([, name]) => name!,
  );
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !metrics.includes(`# TYPE ${name} `))).toEqual([]);
});

test("docs/workers.md names only existing flags, and has at most 150 lines", () => {
  const known = ["worker", "serve", "dead-letters ls", "dead-letters retry"].map(helpOf).join("");
  const flags = [...doc.matchAll(/`?(--[a-z][\w-]+)/g)].map(([, flag]) => flag!);
  expect(flags.length).toBeGreaterThan(10);
  expect(flags.filter((flag) => !known.includes(`${flag} `))).toEqual([]);
  expect(doc.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});
