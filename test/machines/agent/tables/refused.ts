import { doneEvent, errorEvent, type ChartEvent } from "../../../../src/testing/explorer/pure.ts";
import { asking, wanting, type Given } from "../at.ts";
import {
  adopt,
  AGENT,
  decide,
  EDIT,
  ends,
  GO_ON,
  GO_ON_WITHOUT_SCHEMA,
  interrupt,
  INTERRUPT,
  load,
  OTHER_AGENT,
  result,
  SAY,
  SHUT_DOWN,
  STEER,
  turnOf,
  write,
} from "../events.ts";

/** A row of the table of refusals: in this state, given this, that event is refused with that code. */
export type Refused = readonly [from: string, what: string, given: Given, event: ChartEvent, code: string];

const suspended = asking([{ status: "suspended" }]);
const running = asking([{ status: "running", attempt: 1, spawned: 1 }]);
const asks = asking([{ asks: "it asks", argsHash: "h1", expiresAt: 150 }]);
const unknown = asking([{ status: "unknown" }]);
const writing = asking([{ status: "running", attempt: 1, spawned: 1, writes: ["plan"] }]);
const interrupted = { outcome: { reason: "INTERRUPTED", cause: "user" } } as const;
const brokenService = errorEvent("callModel", new Error("broken"));

/** What a call without the schema of the structured answer meets where a turn rests that is to give one. */
const withoutSchema = (from: string, given: Given): Refused => [
  from,
  "a call without the schema of the structured answer",
  { ...given, ...wanting({ isStandard: true }) },
  GO_ON_WITHOUT_SCHEMA,
  "run/output-schema-missing",
];

const atRest = (from: string, given: Given): readonly Refused[] => [
  [from, "a steering message at rest", given, STEER, "run/not-running"],
  [from, "a shutdown at rest", given, SHUT_DOWN, "run/not-running"],
  [from, "a service that is gone breaks", given, brokenService, "run/invalid-event"],
];

const otherTurn = load(turnOf(AGENT), { agent: OTHER_AGENT });
const leftAt = (from: string): readonly Refused[] =>
  (["pin", "hold"] as const).map((onChangedAgent) => [
    from,
    `a turn of another agent to load (${onChangedAgent})`,
    { settings: { onChangedAgent } },
    otherTurn,
    "session/agent-changed",
  ]);

/** The events that are refused. */
export const REFUSED: readonly Refused[] = [
  ["reasoning.calling.running", "a call while a turn runs", {}, GO_ON, "run/busy"],
  ["reasoning.calling.running", "a session to load while a turn runs", {}, load({}), "run/busy"],
  ["reasoning.calling.running", "edited messages while a turn runs", {}, EDIT, "run/busy"],
  ["stopped.unfinished", "edited messages in the middle of a turn", {}, EDIT, "run/pending"],
  ["suspended.waiting", "edited messages in the middle of a turn", suspended, EDIT, "run/pending"],
  ["acting.executing.running", "a decision while the calls run", running, decide(), "run/bad-decision"],
  ["stopped.idle", "a decision without an open call", {}, decide(), "run/bad-results"],
  [
    "acting.executing.committing",
    "a result of another attempt",
    running,
    ends(1, { attempt: 2 }),
    "run/invalid-event",
  ],
  [
    "acting.executing.running",
    "a result of another attempt",
    running,
    ends(1, { attempt: 2 }),
    "run/invalid-event",
  ],
  ["acting.executing.aborting", "a result that no call waits for", running, result(2), "run/invalid-event"],
  ...atRest("stopped.idle", {}),
  ...atRest("stopped.unfinished", { progress: { resumeAt: "reasoning" } }),
  ...atRest("suspended.waiting", suspended),
  ...["stopped.idle", "stopped.unfinished", "suspended.waiting"].flatMap(leftAt),
  ["stopped.idle", "an adoption between turns", turnOf(AGENT, null), adopt(), "run/invalid-event"],
  ["stopped.unfinished", "an adoption by the same agent", turnOf(AGENT), adopt(AGENT), "run/invalid-event"],
  [
    "stopped.unfinished",
    "input before a turn has ended whose hooks were cut off",
    { progress: { resumeAt: "ending" } },
    SAY,
    "run/pending",
  ],
  withoutSchema("stopped.idle", { progress: { continues: true } }),
  withoutSchema("stopped.unfinished", { progress: { resumeAt: "reasoning" } }),
  withoutSchema("suspended.waiting", suspended),
  [
    "suspended.waiting",
    "the limit of a call that has come to rest",
    suspended,
    interrupt({ cause: "signal" }),
    "run/not-running",
  ],
  ["stopped.idle", "an interrupt at rest", {}, INTERRUPT, "run/not-running"],
  ["stopped.onInterrupt", "an interrupt that says nothing new", interrupted, INTERRUPT, "run/not-running"],
  [
    "stopped.idle",
    "the outcome of a service that is gone",
    {},
    doneEvent("callModel", { at: 200 }),
    "run/invalid-event",
  ],
  ["stopped.idle", "a write for another revision", {}, write({ seen: 3 }), "slot/conflict"],
  ["acting.executing.running", "a write of a slot that a call writes", writing, write(), "slot/conflict"],
  [
    "suspended.waiting",
    "a decision about no open call",
    suspended,
    decide({ callId: "c9" }),
    "run/bad-results",
  ],
  [
    "suspended.waiting",
    "a decision about a call that has its permission",
    asking([{ status: "approved" }], { progress: { exceeded: "toolCalls" } }),
    decide(),
    "run/bad-decision",
  ],
  [
    "suspended.waiting",
    "a decision about other arguments",
    asks,
    decide({ argsHash: "h2" }),
    "run/stale-decision",
  ],
  ["suspended.waiting", "a decision after its time", asks, decide(), "run/stale-decision"],
  ["suspended.waiting", "an approval of a call that may have run", unknown, decide(), "run/bad-decision"],
];
