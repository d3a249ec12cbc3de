import {
  createAgent,
  defineHook,
  defineTool,
  type Agent,
  type ChatModel,
  type JsonObject,
  type PendingCall,
  type StreamPart,
  type Tool,
} from "agentchart";
import type { Rule } from "agentchart/rules";
import { memoryStore } from "agentchart/store/memory";
import { lettersOf } from "../../../src/kit/rules/letters.ts";
import { brokenBy, type Consent, type Run } from "../../../src/testing/check/what-ran.ts";
import { begin, type Life } from "./lives.ts";

/** Draws of a run. */
export type Draw = {
  below(count: number): number;
  chance(of: number): boolean;
  pick<Of>(from: readonly Of[]): Of;
};

/** The world outside of an agent: what its tools have really done, and what people have said. */
export type Outside = {
  runs: Run[];
  readonly consents: Map<string, Consent>;
  readonly violations: string[];
  readonly counts: { runs: number; deaths: number; decisions: number; denied: number };
};

/** An agent that is small and random. */
export type Desk = {
  readonly rules: readonly Rule[];
  readonly isParallel: boolean;
  readonly points: readonly string[];
  readonly onRestart: "ask" | "retry" | "fail";
  /** True if the agent does not have the rules, which are still judged. */
  readonly isUnguarded?: boolean;
};

export const NAMES = ["verify", "refund", "look"];
const IDS = ["a", "b"];
const LEASE_MS = 1_000;
const HOUR = 3_600_000;
const CALLS = 40;

const argumentsOf = (draw: Draw): JsonObject =>
  draw.chance(0.1) ? {} : { id: draw.pick(IDS), cents: draw.pick([1, 60, 100, 101]) };

/** A model that may ask for anything, whatever it was told. */
function hostileModel(draw: Draw, left: { calls: number }): ChatModel {
  return {
    name: "hostile",
    stream: async function* (): AsyncGenerator<StreamPart> {
      const count = left.calls > 0 && draw.chance(0.85) ? 1 + draw.below(3) : 0;
      left.calls -= count;
      if (count === 0) yield { type: "text.delta", delta: "over" };
      for (let key = 0; key < count; key++) {
        const name = draw.pick([...NAMES, "refund", "verify", "unknown"]);
        const id = `c${left.calls}.${key}`;
        yield { type: "tool.delta", key, id, name, args: JSON.stringify(argumentsOf(draw)) };
      }
      yield { type: "finish", reason: count > 0 ? "tool_calls" : "stop" };
    },
  };
}

/** True for a run that starts in the step of the call, and stands behind it in its batch: those are judged in the order of the batch. */
function startsBehind({ callId, is, at }: Run, call: string, now: number): boolean {
  const [batch, place] = call.split(".");
  const [otherBatch, otherPlace] = callId.split(".");
  return is === "running" && at === now && batch === otherBatch && Number(otherPlace) > Number(place);
}

/** Tools that note what they do where no crash can undo it, and judge by the sentence of each rule whether they may begin. */
function toolsOf(desk: Desk, outside: Outside, life: Life, draw: Draw, now: () => number): readonly Tool[] {
  const rules = desk.rules.map(({ data }) => data).filter(({ mode }) => mode === "enforce");
  return NAMES.map((name) =>
    defineTool({
      name,
      description: name,
      input: { type: "object" },
      onRestart: desk.onRestart,
      execute: async (given: unknown, { callId }: { readonly callId: string }) => {
        if (life.isOver()) return new Promise<never>(() => {});
        const letters = lettersOf(desk.rules, name, given as JsonObject) ?? {};
        const about = { callId, name, letters };
        const runs = outside.runs.filter((run) => !startsBehind(run, callId, now()));
        const past = { runs, consent: outside.consents.get(callId) ?? {}, at: now(), turn: 0 };
        for (const rule of rules) {
          const why = brokenBy(rule, about, past);
          if (why !== undefined)
            outside.violations.push(`${rule.says} But ${name} (${callId}) begins: ${why}`);
        }
        outside.counts.runs++;
        const run: Run = { ...about, is: "running", at: now(), turn: 0 };
        outside.runs = [...outside.runs.filter((each) => each.callId !== callId || each.isFixed), run];
        const change = (is?: Run["is"]): void => {
          const others = outside.runs.filter((each) => each.callId !== callId || each.isFixed);
          const other = is && { ...run, is, at: now() };
          outside.runs = other ? [...others, other] : others;
        };
        for (let wait = draw.below(4); wait > 0; wait--) await new Promise(setImmediate);
        if (draw.chance(0.04)) life.end();
        // its death has noted that the call may have taken effect: a process that is gone notes nothing
        if (life.isOver()) return new Promise<never>(() => {});
        const wasMaybe = outside.runs.some((each) => each.callId === callId && each.wasMaybe);
        if (draw.chance(0.25)) {
          change(wasMaybe ? "maybe" : undefined);
          throw new Error("no");
        }
        change("success");
        return "done";
      },
    } as never),
  ) as readonly Tool[];
}

function hooksOf(points: readonly string[], draw: Draw): readonly object[] {
  const hooks: { readonly [point: string]: object } = {
    preActing: {
      preActing: () =>
        draw.chance(0.3) ? { input: argumentsOf(draw) } : draw.chance(0.1) ? { deny: "no" } : undefined,
    },
    postActing: {
      postActing: ({ result }: { readonly result: object }) =>
        draw.chance(0.4)
          ? { result: { ...result, state: "success", output: [{ type: "text", text: "done" }] } }
          : draw.chance(0.1)
            ? { stop: true }
            : undefined,
    },
  };
  return points.map((point) => defineHook({ name: point, ...hooks[point] } as never));
}

/** Decides about a call, and notes who has said what about it. */
async function decide(
  agent: Agent,
  call: PendingCall,
  desk: Desk,
  outside: Outside,
  draw: Draw,
): Promise<void> {
  const { callId, waitsFor, reason = "" } = call;
  const by = draw.pick(["ana", "bob"]);
  const decision =
    waitsFor === "unknownOutcome"
      ? draw.pick(["retry", "retry", "deny", { answer: "it is done" }] as const)
      : draw.pick(["approve", "approve", "deny", { edit: argumentsOf(draw) }, { answer: "done" }] as const);
  outside.counts.decisions++;
  // noted before: whether a decision was stored that a death cuts off, nobody knows
  note(callId, decision, by, reason, desk, outside);
  await agent.decide(callId, decision as never, { by } as never);
}

function note(
  callId: string,
  decision: string | object,
  by: string,
  reason: string,
  desk: Desk,
  outside: Outside,
): void {
  const known = outside.consents.get(callId);
  if (decision === "retry")
    outside.runs = outside.runs.map((run) =>
      run.callId === callId && run.is === "maybe" ? { ...run, isFixed: true } : run,
    );
  else if (decision === "approve" || (typeof decision === "object" && "edit" in decision)) {
    const told = desk.rules.map(({ data }) => data.name).filter((name) => reason.includes(`'${name}'`));
    outside.consents.set(callId, { approver: by, waived: [...(known?.waived ?? []), ...told] });
  }
  // a denial or an answer that a death has cut off leaves an earlier approval; after one that was stored the call does not begin again
}

/** Lets an agent run until its session is over, through deaths of its process and decisions of people. Returns what really happened. */
export async function runOf(desk: Desk, draw: Draw): Promise<Outside> {
  let clock = 1_000;
  const now = (): number => clock;
  const real = memoryStore({ now });
  const left = { calls: 4 + draw.below(8) };
  const outside: Outside = {
    runs: [],
    consents: new Map(),
    violations: [],
    counts: { runs: 0, deaths: 0, decisions: 0, denied: 0 },
  };
  for (let lives = 0, isDone = false; lives < 5 && !isDone; lives++) {
    const mayDie = lives < 4 && draw.chance(0.7);
    const life = begin(real, mayDie ? { append: 1 + draw.below(20), isStored: draw.chance(0.5) } : undefined);
    const agent = createAgent({
      name: "desk",
      model: hostileModel(draw, left),
      tools: toolsOf(desk, outside, life, draw, now),
      hooks: hooksOf(desk.points, draw) as never,
      rules: desk.isUnguarded ? [] : desk.rules,
      parallelToolCalls: desk.isParallel,
      maxIters: 6,
      store: life.store,
      sessionId: "s",
      sessionOptions: { leaseMs: LEASE_MS, now },
    } as never) as Agent;
    const live = async (): Promise<void> => {
      for (let calls = 0; calls < CALLS; calls++) {
        await agent.open();
        if (draw.chance(0.1)) clock += 2 * HOUR;
        const { phase, pending } = agent.status();
        for (const call of pending) if (!call.decided) await decide(agent, call, desk, outside, draw);
        const goesOn = pending.length > 0 || phase !== "stopped" || draw.chance(0.3);
        const reply = await agent.call(goesOn && calls > 0 ? undefined : "go").catch(() => undefined);
        if (reply?.pending.length === 0 && left.calls <= 0) break;
      }
      isDone = true;
      outside.counts.denied += (await agent.messages()).flatMap(({ content }) =>
        content.filter((block) => block.type === "tool_result" && block.state === "denied"),
      ).length;
      await agent.close();
    };
    await Promise.race([live(), life.death]);
    if (isDone) break;
    outside.counts.deaths++;
    outside.runs = outside.runs.map((run) =>
      run.is === "running" ? { ...run, is: "maybe", at: now() } : run,
    );
    clock += LEASE_MS + 1;
  }
  return outside;
}
