import type { CallRecord } from "../../../../machines/agent/call-record.ts";
import type { Decision } from "../../../../src/core/tool/pending.ts";
import { Transcript } from "../../../../src/core/message/transcript.ts";
import { results, toolUse, user } from "../../../../src/testing/explorer/messages.ts";
import { asking, inbox, wanting } from "../at.ts";
import { callWith, decide, ends, GO_ON, GO_ON_WITHOUT_SCHEMA, result, SAY, write } from "../events.ts";
import { refund, RULED, verify } from "../ruled.ts";
import type { GuardTable } from "./guard.ts";

const done = { status: "done" } as const;
const stored = { status: "done", stored: true } as const;
const suspended = { status: "suspended" } as const;
const approved = { status: "approved" } as const;
const waiting = { ...approved, attempt: 1, notBeforeAt: 101 } as const;
const running = { status: "running", attempt: 1, spawned: 1 } as const;
const unknown = { status: "unknown" } as const;
const asks = { asks: "it asks", argsHash: "h1" } as const;
const decided = { decided: "approve" } as const;
const writer = { writes: ["plan"] } as const;
const slots = { plan: { value: "old", version: 1, revision: 2 } };
const text = inbox({ input: [user("u2")] });

/** A suspended call that goes on, with its questions q1, q2 and so on. */
const goesOn = (...answers: readonly { readonly decided?: Decision }[]): Partial<CallRecord> => ({
  ...suspended,
  resume: {
    round: 1,
    state: null,
    attempts: 1,
    asks: answers.map((answer, index) => ({
      ask: { id: `q${index + 1}`, kind: "form", message: "?", schema: { type: "integer" } },
      ...answer,
    })),
  },
});
const standard = wanting({ isStandard: true });
const free = { allowed: { tool: { onRestart: "ask" } } } as const;
const inherited = { call: { ...toolUse("c1"), name: "constructor" } };
const noCalls = { settings: { budget: { toolCalls: 0 } } };

/** The guards that judge the open calls of a turn. */
export const CALL_GUARDS: GuardTable = {
  hasPendingTools: {
    holds: [
      ["a call is open", asking([{}])],
      ["a result is not stored yet", asking([stored, done])],
    ],
    fails: [
      ["there is no call", {}],
      ["every result is stored", asking([stored])],
    ],
  },
  isFinished: {
    holds: [
      ["there is no call", {}],
      ["every result is stored", asking([stored])],
    ],
    fails: [["a call is open", asking([{}])]],
  },
  handoffRequested: {
    holds: [["a call has asked for it", { progress: { handoff: "billing" } }]],
    fails: [
      ["no call has", {}],
      ["the session was handed over", { progress: { handoff: null, persona: "billing" } }],
    ],
  },
  needsDecision: {
    holds: [
      ["a call asks", asking([{}, asks])],
      ["the outcome of a call is unknown", asking([unknown])],
      ["a question of a call is open", asking([goesOn({ decided: { respond: 1 } }, {})])],
    ],
    fails: [
      ["no call asks", asking([suspended])],
      ["every question of the call is answered", asking([goesOn({ decided: { respond: 1 } })])],
      [
        "the call that goes on was cut off, and its decision is there",
        asking([{ ...goesOn({}), ...unknown, ...decided }]),
      ],
      ["the decision is there", asking([{ ...asks, ...decided }])],
      ["the decision about an unknown outcome is there", asking([{ ...unknown, ...decided }])],
      ["the result is stored", asking([{ ...asks, ...stored }])],
    ],
  },
  needsApproval: {
    holds: [["a call asks", asking([approved, asks])]],
    fails: [
      ["no call asks", asking([approved])],
      ["the result is stored", asking([{ ...asks, ...stored }])],
    ],
  },
  hasUnknownOutcome: {
    holds: [["a call was cut off while it ran", asking([approved, unknown])]],
    fails: [["a call runs", asking([running])]],
  },
  allowsAll: {
    holds: [
      ["every tool may run whatever its arguments are", asking([{}, {}], free)],
      ["a call that may not was answered at once", asking([{}, done], free)],
      ["there is no call to judge", asking([done])],
    ],
    fails: [
      ["a tool must be judged", asking([{}])],
      ["a hook wants to see the calls", asking([{}], { ...free, listening: ["preActing"] })],
      ["a call asks", asking([{}, asks], free)],
      ["a person has decided about a call", asking([{ ...asks, ...decided }], free)],
      ["the tool is named like a part of every object", asking([inherited])],
    ],
  },
  allSettled: {
    holds: [
      ["there is no call", {}],
      ["each is done, denied or suspended", asking([done, { status: "denied" }, suspended])],
    ],
    fails: [
      ["a call has no permission", asking([done, {}])],
      ["a call may start", asking([done, approved])],
      ["a call runs", asking([done, running])],
      ["the outcome of a call is unknown", asking([done, unknown])],
    ],
  },
  noneRunning: {
    holds: [
      ["there is no call", {}],
      ["calls wait to start", asking([done, approved])],
    ],
    fails: [["a call runs", asking([done, running])]],
  },
  startsNothing: {
    holds: [
      ["the only call runs", asking([running])],
      ["a call waits to be repeated", asking([waiting])],
      ["as many run as may", asking([running, approved], { settings: { parallel: 1 } })],
      [
        "a call that writes the same slot runs",
        asking([
          { ...running, ...writer },
          { ...approved, ...writer },
        ]),
      ],
      ["as many of the tool run as may", asking([running, { ...approved, maxParallel: 1 }])],
      [
        "one may run, and a call waits to be repeated",
        asking([waiting, approved], { settings: { parallel: 1 } }),
      ],
      ["the budget does not suffice while a call runs", asking([running, approved], noCalls)],
    ],
    fails: [
      ["one more may run", asking([running, waiting, approved], { settings: { parallel: 2 } })],
      ["a call may start", asking([running, approved])],
      [
        "a call that writes another slot runs",
        asking([
          { ...running, ...writer },
          { ...approved, writes: ["notes"] },
        ]),
      ],
      ["the time to repeat a call has come", asking([{ ...approved, notBeforeAt: 100 }])],
      ["the budget does not suffice and nothing runs", asking([approved], noCalls)],
    ],
  },
  breaksRules: {
    holds: [
      ["a call lacks the one that a rule demands", asking([{ ...refund, ...approved }], RULED)],
      [
        "the call that it waits for waits for an answer",
        asking(
          [
            { ...verify, ...suspended, attempt: 1 },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
    ],
    fails: [
      ["there are no rules", asking([{ ...refund, ...approved }])],
      [
        "the batch has the call that comes first",
        asking(
          [
            { ...verify, ...approved },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
      [
        "the one that comes first may still be approved",
        asking(
          [
            { ...verify, ...asks },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
      ["the call has no permission yet", asking([refund], RULED)],
    ],
  },
  mustPause: {
    holds: [
      ["the budget does not suffice and nothing runs", asking([done, approved], noCalls)],
      ["nothing runs, and the rules let nothing start", asking([done, { ...refund, ...approved }], RULED)],
    ],
    fails: [
      [
        "the rules let a call start",
        asking(
          [
            { ...verify, ...approved },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
      [
        "a call runs that the rules wait for",
        asking(
          [
            { ...verify, ...running },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
      [
        "a call waits to be repeated",
        asking(
          [
            { ...verify, ...waiting },
            { ...refund, ...approved },
          ],
          RULED,
        ),
      ],
      ["the budget does not suffice while a call runs", asking([running, approved], noCalls)],
      ["the budget suffices", asking([done, approved])],
    ],
  },
  mustCommit: {
    holds: [
      [
        "a call is to start and a store is configured",
        asking([{ status: "running", attempt: 1 }], { settings: { isDurable: true } }),
      ],
      [
        "a call is to be repeated and a store is configured",
        asking([{ ...running, attempt: 2 }], { settings: { isDurable: true } }),
      ],
    ],
    fails: [
      ["no store is configured", asking([{ status: "running", attempt: 1 }])],
      ["every call has its service", asking([running], { settings: { isDurable: true } })],
      ["no call runs", asking([approved], { settings: { isDurable: true } })],
    ],
  },
  isLate: {
    holds: [
      ["another attempt runs", asking([{ ...running, attempt: 2 }]), ends(1, {})],
      ["the call has its result", asking([done]), result(1)],
      ["there is no such call", asking([running]), result(2)],
    ],
    fails: [["the attempt runs", asking([{}, running]), result(2)]],
  },
  wantsPreActing: {
    holds: [["a hook has not seen a call", asking([{}, { hooked: false }], { listening: ["preActing"] })]],
    fails: [
      ["no hook listens", asking([{ hooked: false }])],
      ["hooks have seen every call", asking([{}], { listening: ["preActing"] })],
      ["the call is answered", asking([{ ...done, hooked: false }], { listening: ["preActing"] })],
    ],
  },
  wantsPostActing: {
    holds: [["a hook has not seen a result", asking([stored, done], { listening: ["postActing"] })]],
    fails: [
      ["no hook listens", asking([done])],
      ["there is no result", asking([running], { listening: ["postActing"] })],
      ["the result is stored", asking([stored], { listening: ["postActing"] })],
      ["nothing was executed", asking([{ ...done, skipHooks: true }], { listening: ["postActing"] })],
    ],
  },
  hasNoInput: {
    holds: [["the call brings nothing", {}]],
    fails: [["the call brings text", inbox({ input: [user("u2")] })]],
  },
  carriesResults: {
    holds: [["one of the messages is a result", inbox({ input: [user("u2"), results("t1", ["c1"])] })]],
    fails: [
      ["the call brings text", inbox({ input: [user("u2")] })],
      ["the call brings nothing", {}],
    ],
  },
  cancelsPending: {
    holds: [["text cancels open calls", { settings: { onTextWhilePending: "cancelPending" } }]],
    fails: [
      ["text is refused", { settings: { onTextWhilePending: "refuse" } }],
      ["text is queued", { settings: { onTextWhilePending: "queue" } }],
    ],
  },
  lacksSchema: {
    holds: [
      ["a suspended turn needs it", asking([suspended], standard), GO_ON_WITHOUT_SCHEMA],
      [
        "an unfinished turn needs it",
        { ...standard, progress: { resumeAt: "reasoning" } },
        GO_ON_WITHOUT_SCHEMA,
      ],
      ["a stopped turn needs it", { ...standard, progress: { continues: true } }, GO_ON_WITHOUT_SCHEMA],
    ],
    fails: [
      ["the call has the schema", asking([suspended], standard), GO_ON],
      ["the schema is data", asking([suspended], wanting({})), GO_ON_WITHOUT_SCHEMA],
      ["no structured answer is asked for", asking([suspended]), GO_ON_WITHOUT_SCHEMA],
      ["the call begins a turn", standard, GO_ON_WITHOUT_SCHEMA],
    ],
  },
  isUnknownCall: {
    holds: [
      ["there is no such call", asking([suspended]), decide({ callId: "c9" })],
      ["the call runs", asking([running]), decide()],
      ["the call may start", asking([approved]), decide()],
      ["the call has its result", asking([done]), decide()],
      ["the result is stored", asking([stored]), decide()],
      ["another call asks", asking([suspended, asks]), decide()],
      ["the call has no such question", asking([goesOn({})]), decide({ callId: "c1/q2" })],
      ["the call has asked several questions", asking([goesOn({}, {})]), decide()],
      ["the call goes on", asking([{ ...goesOn({}), ...approved }]), decide({ callId: "c1/q1" })],
    ],
    fails: [
      ["the question is open", asking([goesOn({}, {})]), decide({ callId: "c1/q2" })],
      ["the call has one question", asking([goesOn({})]), decide()],
      ["another call asks for its approval", asking([goesOn({}), asks]), decide({ callId: "c1/q1" })],
      ["the call asks", asking([asks]), decide()],
      ["the call is suspended", asking([suspended]), decide()],
      ["the outcome of the call is unknown", asking([unknown]), decide()],
    ],
  },
  isStaleDecision: {
    holds: [
      ["the call is approved", asking([{ ...asks, decided: "approve" }]), decide({ argsHash: "h1" })],
      ["the outcome of the call is told", asking([{ ...unknown, decided: { answer: "ok" } }]), decide()],
      ["the question is answered", asking([goesOn({ decided: { respond: 1 } })]), decide()],
      ["it was made for other arguments", asking([asks]), decide({ argsHash: "h2" })],
      [
        "it was made before the tool changed",
        asking([{ ...asks, askedAgainAt: 150 }]),
        decide({ madeAt: 149 }),
      ],
    ],
    fails: [
      [
        "it was made after the tool changed",
        asking([{ ...asks, askedAgainAt: 150 }]),
        decide({ madeAt: 150 }),
      ],
      ["it was made for these arguments", asking([asks]), decide({ argsHash: "h1" })],
      ["it does not say for which arguments", asking([asks]), decide()],
      [
        "another question is answered",
        asking([goesOn({ decided: { respond: 1 } }, {})]),
        decide({ callId: "c1/q2" }),
      ],
    ],
  },
  isExpiredDecision: {
    holds: [
      ["it comes after its time", asking([{ ...asks, expiresAt: 199 }]), decide()],
      ["it comes at the end of its time", asking([{ ...asks, expiresAt: 200 }]), decide()],
    ],
    fails: [
      ["it comes in time", asking([{ ...asks, expiresAt: 201 }]), decide()],
      ["it was made in time", asking([{ ...asks, expiresAt: 150 }]), decide({ madeAt: 149 })],
      ["there is no limit", asking([asks]), decide()],
    ],
  },
  refusesInput: {
    holds: [
      ["nothing was ever said", { transcript: Transcript.of() }],
      [
        "a call of loaded history is not to get a result",
        { ...asking([{}]), calls: [], settings: { recoverOrphans: false } },
      ],
      ["a call asks", asking([asks], text)],
      ["a call asks, and there is no input", asking([asks])],
      ["text is refused while a call is open", asking([suspended], text)],
      [
        "text would be queued, and the turn is unfinished",
        asking([suspended], {
          ...text,
          settings: { onTextWhilePending: "queue" },
          progress: { resumeAt: "acting" },
        }),
      ],
    ],
    fails: [
      ["something was said", {}],
      ["the first input is there", { transcript: Transcript.of(), ...text }],
      ["a call of loaded history gets its result", { ...asking([{}]), calls: [] }],
      ["a call is open, and there is no input", asking([suspended])],
      [
        "text cancels open calls",
        asking([suspended], { ...text, settings: { onTextWhilePending: "cancelPending" } }),
      ],
      ["text is queued", asking([suspended], { ...text, settings: { onTextWhilePending: "queue" } })],
    ],
  },
  isWrongDecision: {
    holds: [
      ["a call that may have run is approved", asking([{ status: "unknown" }]), decide()],
      [
        "a call that may have run is approved for later, too",
        asking([{ status: "unknown" }]),
        decide({ decision: { approve: true, remember: "tool" } }),
      ],
      [
        "a call that may have run gets other arguments",
        asking([{ status: "unknown" }]),
        decide({ decision: { edit: {} } }),
      ],
      ["a call is answered as a question", asking([suspended]), decide({ decision: { respond: 1 } })],
      ["a question is approved", asking([goesOn({})]), decide()],
      ["a question gets a result", asking([goesOn({})]), decide({ decision: { answer: "1" } })],
      ["its schema does not accept the answer", asking([goesOn({})]), decide({ decision: { respond: "x" } })],
    ],
    fails: [
      ["its schema accepts the answer", asking([goesOn({})]), decide({ decision: { respond: 1 } })],
      ["nobody answers a question", asking([goesOn({})]), decide({ decision: { cancel: true } })],
      [
        "a call that may have run is repeated",
        asking([{ status: "unknown" }]),
        decide({ decision: "retry" }),
      ],
      [
        "a call that may have run is answered",
        asking([{ status: "unknown" }]),
        decide({ decision: { answer: "it ran" } }),
      ],
      ["a call that may have run is denied", asking([{ status: "unknown" }]), decide({ decision: "deny" })],
      ["a call that asks is approved", asking([asks]), decide()],
    ],
  },
  isStaleWrite: {
    holds: [
      ["the slot was written since", { slots }, write({ seen: 1 })],
      ["the slot was never written", {}, write({ seen: 1 })],
    ],
    fails: [
      ["it was made for this revision", { slots }, write({ seen: 2 })],
      ["the slot was never written, as expected", {}, write({ seen: 0 })],
    ],
  },
  isBeingWritten: {
    holds: [["a call that writes the slot runs", asking([{ ...running, ...writer }]), write()]],
    fails: [
      ["a call that writes another slot runs", asking([{ ...running, ...writer }]), write({ name: "notes" })],
      ["the call waits to run", asking([{ ...approved, ...writer }]), write()],
      ["the call is suspended", asking([{ ...suspended, ...writer }]), write()],
    ],
  },
  resumesInCall: {
    holds: [
      ["the turn was cut off on entering", { progress: { resumeAt: "doCall" } }, GO_ON],
      ["the call brings results", { progress: { resumeAt: "reasoning" } }, callWith("t1", ["c1"])],
      [
        "results wait",
        { ...inbox({ input: [results("t1", ["c1"])] }), progress: { resumeAt: "reasoning" } },
        GO_ON,
      ],
    ],
    fails: [["the turn was cut off later", { progress: { resumeAt: "reasoning" } }, SAY]],
  },
};
