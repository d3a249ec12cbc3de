import type { HookPoint } from "../../../../src/core/hook/types.ts";
import type { Ending } from "../../../../machines/agent/context.ts";
import { user } from "../../../../src/testing/explorer/messages.ts";
import { asking, type Given, type Row } from "../at.ts";
import {
  adopt,
  AGENT,
  decide,
  failedHook,
  hooks,
  interrupt,
  INTERRUPT,
  load,
  EDIT,
  GO_ON,
  OBSERVE,
  SHUT_DOWN,
  slept,
  STEER,
  write,
  turnOf,
} from "../events.ts";

const suspended = asking([{ status: "suspended" }]);
const unfinished = { progress: { resumeAt: "reasoning" } } as const;
const ended = { outcome: { reason: "MODEL_STOP" } } as const;
const interrupted = {
  interruption: { cause: "user" },
  outcome: { reason: "INTERRUPTED", cause: "user" },
} as const;
const saysMore = interrupt({ message: user("m1") });

const endingAt = (at: Ending["at"], more: Given = {}): Given => ({
  ...more,
  progress: { ...more.progress, resumeAt: "ending", ending: { at, outcome: { reason: "MODEL_STOP" } } },
});
const ENDS: readonly (readonly [at: Ending["at"], given: Given, to: string])[] = [
  ["stopped.postCall", {}, "stopped.idle"],
  ["stopped.onInterrupt", { interruption: { cause: "user" } }, "stopped.idle"],
  ["stopped.onError", {}, "stopped.idle"],
  ["suspended.postCall", suspended, "suspended.waiting"],
  ["doCall.onError", {}, "stopped.idle"],
  ["doCall.onError", suspended, "suspended.waiting"],
];
/** A turn whose last hooks were cut off ends in the next process. */
const END_STORED = ENDS.flatMap(([at, given, to]): readonly Row[] => {
  const listening = [at.split(".")[1] as HookPoint];
  const loaded = endingAt(at, given);
  return [
    ["stopped.idle", `a turn is loaded that was cut off in ${at}`, {}, load(loaded), "stopped.unfinished"],
    ["stopped.unfinished", `the end of a turn that was cut off in ${at}`, loaded, GO_ON, to],
    [
      "stopped.unfinished",
      `the end of a turn that was cut off in ${at}, with hooks`,
      { ...loaded, listening },
      GO_ON,
      at,
    ],
  ];
});

const loadedIn = (from: string): readonly Row[] => [
  [from, "an unfinished session is loaded", {}, load(unfinished), "stopped.unfinished"],
  [from, "a suspended session is loaded", {}, load(suspended), "suspended.waiting"],
  [from, "a session is loaded", {}, load({}), "stopped.idle"],
];

/** A turn ends, and the session rests. */
export const REST: readonly Row[] = [
  ...["stopped.idle", "stopped.unfinished", "suspended.waiting"].flatMap(loadedIn),
  ...END_STORED,
  ["stopped.unfinished", "another agent goes on with the turn", turnOf(AGENT), adopt(), "stopped.unfinished"],
  [
    "suspended.waiting",
    "another agent goes on with the turn",
    asking([{ asks: "it asks" }], turnOf(AGENT, null)),
    adopt(),
    "suspended.waiting",
  ],
  ["stopped.idle", "an observed message", {}, OBSERVE, "stopped.idle"],
  ["stopped.idle", "edited messages", {}, EDIT, "stopped.idle"],
  ["stopped.unfinished", "an observed message", unfinished, OBSERVE, "stopped.unfinished"],
  ["suspended.waiting", "a decision", asking([{ asks: "it asks" }]), decide(), "suspended.waiting"],
  ["suspended.postCall", "the hooks are done", suspended, hooks(), "suspended.waiting"],
  ["stopped.postCall", "the hooks are done", ended, hooks(), "stopped.idle", "MODEL_STOP"],
  ["stopped.postCall", "an interrupt", ended, INTERRUPT, "stopped.postCall", "MODEL_STOP"],
  ["stopped.postCall", "deaf hooks, interrupted", ended, slept, "stopped.idle", "MODEL_STOP"],
  [
    "stopped.postCall",
    "the limit of the call",
    ended,
    interrupt({ cause: "timeout" }),
    "stopped.idle",
    "INTERRUPTED",
  ],
  ["stopped.onInterrupt", "the hooks are done", interrupted, hooks(), "stopped.idle", "INTERRUPTED"],
  ["stopped.onInterrupt", "a failing hook", interrupted, failedHook, "stopped.idle", "INTERRUPTED"],
  [
    "stopped.onInterrupt",
    "hooks that ignore their signal",
    interrupted,
    slept,
    "stopped.idle",
    "INTERRUPTED",
  ],
  ["stopped.onInterrupt", "an interrupt that says more", interrupted, saysMore, "stopped.onInterrupt"],
  ["stopped.onError", "the hooks are done", {}, hooks(), "stopped.idle"],
  ["stopped.onError", "a failing hook", {}, failedHook, "stopped.idle"],
  ["stopped.onError", "an interrupt", {}, INTERRUPT, "stopped.idle"],
];

const calling = "reasoning.calling.running";
/** What is noted for later, in any state. */
export const NOTED: readonly Row[] = [
  [calling, "a steering message", {}, STEER, calling],
  [calling, "an observed message", {}, OBSERVE, calling],
  [calling, "a larger budget", {}, { type: "budget.extend", at: 200, extra: { modelCalls: 1 } }, calling],
  [calling, "a slot is written", {}, write(), calling],
  [calling, "the hook points change", {}, { type: "hooks.listen", points: ["postCall"] }, calling],
  [calling, "the tools change", {}, { type: "tools.allow", allowed: { tool: {} } }, calling],
  [calling, "the process shuts down", {}, SHUT_DOWN, calling],
];
