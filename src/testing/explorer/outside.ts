import { openCalls } from "../../../machines/agent/updates/calls.ts";
import type { Msg } from "../../core/message/types.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import { revisionOf } from "../../core/tool/stored-slots.ts";
import { answers } from "./asks.ts";
import { SLOT, written } from "./slots.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import type { Desk } from "./desk.ts";
import { results, toolResult, user } from "./messages.ts";
import { moveOf, TICK, type Meaning, type Move, type Scene } from "./move.ts";
import { doneEvent, errorEvent, isAtRest, type ChartEvent } from "./pure.ts";
import { EXPIRES_AT } from "./review-outcomes.ts";
import { loadedContexts, type World } from "./world.ts";

type Decision = NonNullable<CallRecord["decided"]>;

const DECISIONS: readonly (readonly [string, Decision])[] = [
  ["approve", "approve"],
  ["deny", "deny"],
  ["retry", "retry"],
  ["edit", { edit: { edited: true } }],
  ["answer", { answer: "by a person" }],
  ["approve and remember", { approve: true, remember: "tool" }],
];

/** The inputs with which a turn goes on that waits or was cut off. */
const GOES_ON: ReadonlySet<string> = new Set(["nothing", "all results"]);

/** All kinds of input where it counts; elsewhere one, to see that it is refused. */
function inputs({ context, step }: Scene, counts: boolean): readonly (readonly [string, readonly Msg[]])[] {
  const text = user(`u${step}`);
  if (!counts) return [["text", [text]]];
  const open = openCalls(context).map(({ call }) => call.id);
  const id = `t${step}`;
  const given: (readonly [string, readonly Msg[]])[] = [
    ["nothing", []],
    ["text", [text]],
    ["a result nobody waits for", [results(id, ["nobody"])]],
  ];
  if (open.length === 0) return given;
  const all: typeof given = [
    ["all results", [results(id, open)]],
    ["text and all results", [text, results(id, open.toReversed())]],
    ["a result twice", [results(id, [open[0]!, open[0]!])]],
  ];
  const some: typeof given = [
    ["some results", [results(id, open.slice(1))]],
    ["some results and text", [results(id, open.slice(1)), text]],
  ];
  return [...given, ...all, ...(open.length > 1 ? some : [])];
}

function calls({ wanted, agent, desk }: World, scene: Scene, at: number): readonly Move[] {
  const isThere = isAtRest(scene.leaf);
  // a call that goes on with a turn belongs to it; one that was cut off has been disturbed already
  const costOf = (what: string): Pick<Move, "cost"> => {
    if (!desk || scene.leaf === "stopped.idle" || !GOES_ON.has(what)) return { cost: "call" };
    return scene.leaf === "stopped.unfinished" ? {} : { cost: "resumption" };
  };
  const call = (what: string, input: readonly Msg[], hasOutput: boolean): Move =>
    moveOf(
      `call(${what})`,
      { type: "call", at, input, hasOutput, ...(hasOutput && wanted && { wanted }), ...(agent && { agent }) },
      { ...costOf(what), meaning: { input } },
    );
  const given = inputs(scene, isThere).map(([what, input]) => call(what, input, true));
  if (isThere && desk?.jumps.length) {
    const [text] = given.filter(({ label }) => label === "call(text)");
    const late = desk.jumps.map((jump): Move => {
      const [event] = text!.events;
      return {
        ...text!,
        label: `call(text)${afterText(jump)}`,
        events: [{ ...event, at: at + jump } as ChartEvent],
      };
    });
    return [...given, ...late];
  }
  return isThere && wanted?.isStandard ? [...given, call("nothing, without its schema", [], false)] : given;
}

function decisions(world: World, { context, leaf }: Scene, at: number): readonly Move[] {
  const decide = (label: string, callId: string, decision: Decision, more = {}): Move =>
    moveOf(
      label,
      { type: "tool.decide", at, callId, decision, ...more },
      { group: label.replace(/ \d+$/, ""), meaning: { decides: callId } },
    );
  const unknown = decide("tool.decide(approve) on no call", "nobody", "approve");
  const [running] = openCalls(context);
  if (leaf !== "suspended.waiting")
    return running
      ? [unknown, decide("tool.decide(approve) on a call", running.call.id, "approve")]
      : [unknown];
  if (world.desk) return deskDecisions(world.desk, context, at);
  const each = context.calls.flatMap(({ call }, index) =>
    DECISIONS.filter(([name]) => world.judges || name === "answer").map(([name, decision]) =>
      decide(`tool.decide(${name}) on call ${index + 1}`, call.id, decision),
    ),
  );
  const [first] = context.calls;
  const late = first
    ? [
        decide("tool.decide(approve) for other arguments", first.call.id, "approve", { argsHash: "other" }),
        decide("tool.decide(approve) after it expired", first.call.id, "approve", { madeAt: EXPIRES_AT }),
      ]
    : [];
  const asked = context.calls.flatMap((record, index) => answers(record, `call ${index + 1}`, at));
  return [unknown, ...each, ...asked, ...(world.judges ? late : [])];
}

/** The decisions about the calls of a desk, by each person, at once and after each length of time. */
function deskDecisions({ people, jumps }: Desk, context: AgentContext, at: number): readonly Move[] {
  const move = (
    index: number,
    [name, decision]: (typeof DECISIONS)[number],
    by: string,
    after: number,
  ): Move => {
    const callId = context.calls[index]!.call.id;
    const who = by === "" ? "" : ` by ${by}`;
    return moveOf(
      `tool.decide(${name}) on call ${index + 1}${who}${afterText(after)}`,
      { type: "tool.decide", at: at + after, callId, decision, ...(by !== "" && { decidedBy: by }) },
      {
        group: `tool.decide(${name}) on call`,
        ...(after > 0 && { cost: "disturbance" }),
        meaning: { decides: callId, decided: { callId, as: name, by } },
      },
    );
  };
  return context.calls.flatMap(({ stored }, index) =>
    stored
      ? []
      : DECISIONS.flatMap((decision) => [
          ...(decision[0] === "approve" || decision[0] === "edit"
            ? people.map((by) => move(index, decision, by, 0))
            : [move(index, decision, "", 0)]),
          ...(decision[0] === "approve" || decision[0] === "retry"
            ? jumps.map((jump) => move(index, decision, people[0] ?? "", jump))
            : []),
        ]),
  );
}

const afterText = (ms: number): string => (ms === 0 ? "" : ` after ${ms} ms`);

/** Writes of the slot from outside: for the revision that it has, and for another one. */
function slotWrites({ tool }: World, { context, step }: Scene, at: number): readonly Move[] {
  if (!tool.writes) return [];
  const { slots } = context;
  const value = `from outside in step ${step}`;
  const seen = revisionOf(slots, SLOT);
  const write = (label: string, revision: number, meaning: Meaning): Move =>
    moveOf(
      label,
      { type: "slot.write", at, name: SLOT, value, version: 1, seen: revision },
      { cost: "disturbance", meaning },
    );
  return [
    write("slot.write", seen, { writes: written(slots, value) }),
    write("slot.write for another revision", seen + 1, {}),
  ];
}

/** Events that services may still send which the chart no longer waits for: it must be traced and harm nothing. */
function lateMoves(leaf: string, at: number): readonly Move[] {
  const result = toolResult("gone", "late");
  const late = (label: string, event: ChartEvent): Move => moveOf(label, event, { kind: "late" });
  return [
    late("late result of a tool", doneEvent("tool.gone", { at, callId: "gone", attempt: 1, result })),
    late("late outcome of a service", doneEvent("gone", { at })),
    ...(isAtRest(leaf) ? [late("late failure of a service", errorEvent("gone", new Error("gone")))] : []),
  ];
}

/** Sessions from elsewhere that are loaded, by this agent and by others. */
function loads(world: World, at: number): readonly Move[] {
  const { agent, others = {}, settings } = world;
  const load = (what: string, event: object): Move =>
    moveOf(`session.load(${what})`, { type: "session.load", ...event } as ChartEvent, {
      kind: "load",
      cost: "disturbance",
    });
  return Object.entries(loadedContexts(world, at)).flatMap(([what, context]) => [
    load(what, { context, ...(agent && { agent }) }),
    ...(settings.onChangedAgent === "adopt"
      ? []
      : Object.entries(others).flatMap(([which, other]) => [
          load(`${what}, by an agent with ${which}`, { context, agent: other }),
          load(`${what}, released, by an agent with ${which}`, { context, agent: other, isReleased: true }),
        ])),
  ]);
}

/** Agents that go on with the turn of this one. */
function adoptions(world: World, at: number): readonly Move[] {
  const { agent: own, others = {}, settings } = world;
  if (settings.onChangedAgent !== "adopt") return [];
  return Object.entries(others).map(([what, agent]) =>
    moveOf(
      `session.adopt(${what})`,
      { type: "session.adopt", at, agent },
      { cost: "disturbance", meaning: { revokes: agent.tools["tool"] !== own?.tools["tool"] } },
    ),
  );
}

/** A message as a person has changed it. */
const edited = (message: Msg): Msg => ({ ...message, metadata: { ...message.metadata, isEdited: true } });

/** Everything that people and other code may send, in any state. */
export function outsideMoves(world: World, scene: Scene): readonly Move[] {
  const { context, step } = scene;
  const at = context.at + TICK;
  const said = user(`m${step}`);
  const disturb = (label: string, event: ChartEvent, heard?: Msg): Move =>
    moveOf(label, event, {
      cost: "disturbance",
      meaning: { ...(heard && { heard }), interrupts: event.type === "run.interrupt" },
    });
  /** Moves that are not made at a desk. */
  const elsewhere = (make: () => readonly Move[]): readonly Move[] => (world.desk ? [] : make());
  const otherTools = "tool" in context.allowed ? {} : { tool: world.tool };
  // elsewhere the chart takes it as it takes one by the user
  const isJudgedByCause = scene.leaf === "suspended.waiting" || scene.leaf === "stopped.postCall";
  const byLimit = disturb("run.interrupt by a limit", { type: "run.interrupt", at, cause: "timeout" });
  const points = context.listening.length === world.listening.length ? world.otherwise : world.listening;
  const crash: Move = {
    label: "crash",
    group: "crash and restore",
    kind: "crash",
    events: [],
    // also within the grace period of an interrupt, at the smallest bounds too
    ...(context.interruption === null && { cost: "disturbance" }),
  };
  return [
    ...calls(world, scene, at),
    ...decisions(world, scene, at),
    ...elsewhere(() => slotWrites(world, scene, at)),
    disturb("run.interrupt", { type: "run.interrupt", at, cause: "user" }),
    ...elsewhere(() => [
      disturb("run.interrupt(message)", { type: "run.interrupt", at, cause: "user", message: said }, said),
    ]),
    ...(isJudgedByCause ? [byLimit] : []),
    disturb("run.steer", { type: "run.steer", at, message: said }, said),
    ...elsewhere(() => [
      disturb("session.observe", { type: "session.observe", at, messages: [said] }, said),
      moveOf("session.compact", { type: "session.compact", at }),
    ]),
    disturb("session.edit", {
      type: "session.edit",
      at,
      messages: context.transcript.slice().map(edited),
    }),
    disturb("run.shutdown", { type: "run.shutdown", at }),
    ...elsewhere(() => [
      disturb("budget.extend", { type: "budget.extend", at, extra: { modelCalls: 1, toolCalls: 1 } }),
      disturb("hooks.listen", { type: "hooks.listen", points: [...points] }),
      ...(world.allows ? [disturb("tools.allow", { type: "tools.allow", allowed: otherTools })] : []),
      ...loads(world, at),
      ...adoptions(world, at),
    ]),
    crash,
    ...elsewhere(() => lateMoves(scene.leaf, at)),
  ];
}
