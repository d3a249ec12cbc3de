// The example with Stately's inspector.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { agentMachine } from "agentchart/machines";
import { BARE_ENV } from "../support/bare-env.ts";

// The example runs in a child process, which may start slowly while other tests run.

const EXAMPLE = fileURLToPath(new URL("../../examples/stately-inspect.ts", import.meta.url));

type Line = {
  readonly type: string;
  readonly sessionId: string;
  readonly snapshot?: { readonly value?: unknown };
  readonly event?: { readonly type: string };
  readonly createdAt: string;
};

test("examples/stately-inspect.ts passes every event and state of the agent to Stately's inspector", async () => {
  const begunAt = Date.now();
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

  // what a person sees there: guards and decisions by name, and the messages
  const [{ definition }] = lines as [{ readonly definition: string }] & Line[];
  const config = JSON.parse(definition) as Node;
  const withoutInput = JSON.parse(JSON.stringify(agentMachine.config)) as Node;
  expect(edgesOf(config)).toEqual(edgesOf(withoutInput));
  expect(edgesOf(config).filter(([, { guard }]) => guard !== undefined).length).toBeGreaterThan(150);
  expect(config.states!["reasoning"]!.states!["deciding"]!.tags).toEqual(["decision"]);
  const context = own.at(-1)!.snapshot as { readonly context?: { readonly messages: readonly string[] } };
  expect(context.context!.messages.map((text) => text.slice(0, 24))).toEqual([
    "user: What time is it?",
    'assistant: {"type":"tool',
    'tool: {"type":"tool_resu',
    "assistant: It is noon.",
  ]);
  // 53 KB were seen
  expect(stdout.length).toBeLessThan(60_000);
  const times = lines.map(({ createdAt }) => Number(createdAt));
  expect(times).toEqual(times.toSorted((one, other) => one - other));
  expect(times[0]).toBeGreaterThanOrEqual(begunAt);
  expect(times.at(-1)).toBeLessThanOrEqual(Date.now());
});

type Edge = { readonly guard?: unknown; readonly target?: unknown };
type Edges = { readonly [event: string]: Edge | readonly Edge[] };
type Node = {
  readonly tags?: readonly string[];
  readonly on?: Edges;
  readonly always?: readonly Edge[];
  readonly invoke?: readonly { readonly onDone?: readonly Edge[]; readonly onError?: readonly Edge[] }[];
  readonly states?: { readonly [key: string]: Node };
};

/** Every transition of a configuration, with its event and its guard. */
function edgesOf({
  on = {},
  always = [],
  invoke = [],
  states = {},
}: Node): readonly (readonly [string, Edge])[] {
  const own = [
    ...Object.entries(on)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .flatMap(([event, edges]) => [edges].flat().map((edge) => [event, edge] as const)),
    ...always.map((edge) => ["", edge] as const),
    ...invoke.flatMap(({ onDone = [], onError = [] }) => [
      ...onDone.map((edge) => ["done", edge] as const),
      ...onError.map((edge) => ["error", edge] as const),
    ]),
  ] as (readonly [string, Edge])[];
  const plain = own.map(([event, { guard, target }]) => [event, { guard, target }] as const);
  return [
    ...plain,
    ...Object.keys(states)
      .toSorted()
      .flatMap((key) => edgesOf(states[key]!)),
  ];
}
