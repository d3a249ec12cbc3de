import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { BARE_ENV } from "../support/bare-env.ts";

// The example runs in a child process, which may start slowly while other tests run.
vi.setConfig({ testTimeout: 60_000 });

const EXAMPLE = fileURLToPath(new URL("../../examples/stately-inspect.ts", import.meta.url));

type Line = {
  readonly type: string;
  readonly sessionId: string;
  readonly snapshot?: { readonly value?: unknown };
  readonly event?: { readonly type: string };
};

test("examples/stately-inspect.ts passes every event and state of the agent to Stately's inspector", async () => {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ["--conditions=agentchart-source", EXAMPLE],
    { env: { ...BARE_ENV }, maxBuffer: 50_000_000 },
  );
  expect(stderr).toBe("It is noon.\n");
  const lines = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
  expect(new Set(lines.map(({ type }) => type))).toEqual(
    new Set(["@xstate.actor", "@xstate.event", "@xstate.snapshot"]),
  );
  const own = lines.filter(({ sessionId }) => sessionId === lines[0]!.sessionId);
  const states = own.map(({ snapshot }) => JSON.stringify(snapshot?.value) ?? "");
  expect(states).toContain('{"acting":{"executing":"running"}}');
  expect(states.at(-1)).toBe('{"stopped":"idle"}');
  expect(own.map(({ event }) => event?.type)).toContain("call");
});
