// Every reachable state of the life of a session.
import { describe, expect, test } from "vitest";
import { AgentError } from "agentchart";
import { chartJson } from "../../src/core/diagram/chart-json.ts";
import {
  sessionMachine,
  sessionResolver,
  type SessionContext,
  type SessionEvent,
} from "../../machines/session/session.machine.ts";

const failed = (code: AgentError["code"], more = {}): AgentError =>
  new AgentError(code, `It failed with ${code}.`, more);
const locked = failed("session/conflict", { retryAt: 300 });

const EVENTS: readonly SessionEvent[] = [
  { type: "session.open" },
  { type: "session.open", waitUntil: 50 },
  { type: "session.read", until: 100 },
  { type: "session.begun" },
  { type: "session.failed", at: 10, error: failed("session/damaged") },
  { type: "session.failed", at: 10, error: failed("session/version") },
  { type: "session.failed", at: 10, error: failed("session/conflict") },
  { type: "session.failed", at: 10, error: locked },
  { type: "session.failed", at: 50, error: locked },
  { type: "session.retry" },
  { type: "session.leave", isAtRest: true },
  { type: "session.leave", isAtRest: false },
  { type: "session.leave", isAtRest: false, exitCode: 0 },
  { type: "session.leave", isAtRest: false, exitCode: 1 },
  { type: "session.drain", error: failed("run/shutdown") },
  { type: "session.stop", error: failed("run/shutdown") },
  { type: "lease.renewed", until: 200 },
  { type: "lease.unrenewed", at: 99, error: failed("store/failed") },
  { type: "lease.unrenewed", at: 200, error: failed("store/failed") },
  { type: "lease.lost", error: failed("session/lease-lost") },
  { type: "call" },
  { type: "command" },
];

type Life = { readonly path: string; readonly context: SessionContext };
type Walked = Life & { readonly event: SessionEvent; readonly to: Life } & {
  readonly effects: readonly string[];
  readonly refused: string | undefined;
};

const keyOf = ({ path, context }: Life): string =>
  JSON.stringify([path, context.isDurable, context.leaseUntil, context.waitUntil, context.error?.code]);

/** Every transition from every reachable state of the chart. */
function walk(): { readonly walked: readonly Walked[]; readonly edges: ReadonlySet<string> } {
  const edges = new Set<string>();
  const walked: Walked[] = [];
  const known = new Set<string>();
  const open: Life[] = [true, false].map((isDurable) => {
    const { path, context } = sessionResolver.begin({
      name: "a",
      isDurable,
      leaseUntil: null,
      waitUntil: 0,
      error: null,
    });
    return { path, context };
  });
  for (let life = open.pop(); life; life = open.pop()) {
    if (known.has(keyOf(life))) continue;
    known.add(keyOf(life));
    for (const event of EVENTS) {
      const step = sessionResolver.next(life.path, life.context, event);
      if (!step) continue;
      step.edges.forEach((edge) => edges.add(edge));
      const to = { path: step.path, context: step.context };
      const effects = step.effects.map((effect) => (effect.type === "host" ? effect.name : effect.type));
      walked.push({ ...life, event, to, effects, refused: step.refused?.code });
      open.push(to);
    }
  }
  return { walked, edges };
}

const { walked, edges } = walk();
const isOver = ({ path }: Life): boolean => path === "lost" || path === "stopped";

describe("every reachable state of a session's life × every event", () => {
  test("takes every edge of the chart", () => {
    const all = chartJson(sessionMachine).edges.map(({ id }) => id);
    expect(all.length).toBeGreaterThan(20);
    expect(all.filter((id) => !edges.has(id))).toEqual([]);
  });

  test("reaches every state", () => {
    expect([...new Set(walked.flatMap(({ path, to }) => [path, to.path]))].toSorted()).toEqual([
      "closed",
      "lost",
      "open.accepting",
      "open.draining",
      "opening",
      "quarantined",
      "stopped",
      "waiting",
    ]);
  });

  test("ends the agent once, in the step that ends the session (Y2)", () => {
    for (const { path, context, to, effects } of walked) {
      const ends = !isOver({ path, context }) && isOver(to);
      expect(effects.filter((effect) => effect === "endAgent")).toHaveLength(ends ? 1 : 0);
    }
  });

  test("loses an open session whose lease is lost, and one whose lease was not renewed in time (Y2)", () => {
    for (const { path, context, event, to } of walked.filter((each) => each.path.startsWith("open."))) {
      if (event.type === "lease.lost") expect(to.path).toBe("lost");
      if (event.type !== "lease.unrenewed") continue;
      const isLate = context.leaseUntil !== null && event.at >= context.leaseUntil;
      expect(to.path).toBe(isLate ? "lost" : path);
    }
  });

  test("leaves no state of rest, and gives back a lease that comes after the stop (Y3)", () => {
    for (const step of walked.filter(isOver)) {
      expect(step.to.path).toBe(step.path);
      const comesLate = step.path === "stopped" && step.event.type === "session.read";
      expect(step.effects).toEqual(comesLate ? ["releaseLease"] : []);
    }
  });

  test("waits for another process until its time is up, and for no other failure", () => {
    for (const { path, context, event, to } of walked.filter(
      (each) => each.event.type === "session.failed",
    )) {
      if (path !== "opening" || event.type !== "session.failed") continue;
      const waits = event.error === locked && event.at < context.waitUntil;
      expect(to.path === "waiting").toBe(waits);
    }
  });

  test("gives its lease back when the process ends, unless a turn runs and the process fails", () => {
    for (const { path, event, to, effects } of walked.filter((each) => each.path.startsWith("open."))) {
      if (event.type !== "session.leave") continue;
      const leaves = event.isAtRest || event.exitCode === 0;
      expect([to.path, effects]).toEqual(leaves ? ["closed", ["releaseLease"]] : [path, []]);
    }
  });

  test("refuses calls wherever none may begin, with the error that the session met", () => {
    const calls = walked.filter(({ event }) => event.type === "call");
    expect(new Set(calls.map(({ path, refused }) => `${path} ${refused}`))).toEqual(
      new Set([
        "open.draining run/shutdown",
        "quarantined session/damaged",
        "quarantined session/version",
        "lost session/lease-lost",
        "lost store/failed",
        "stopped run/shutdown",
      ]),
    );
  });
});
