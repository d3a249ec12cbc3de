import fc from "../../support/fast-check.ts";

/** What a model does when it is asked. */
export type Turn =
  | { readonly kind: "text"; readonly thinking: boolean }
  | {
      readonly kind: "calls";
      readonly text: boolean;
      readonly calls: readonly Call[];
      readonly finish: "tool_calls" | "length" | "unknown";
    }
  | { readonly kind: "empty" | "thinking only" | "silent" }
  | {
      readonly kind: "error";
      readonly isRetryable: boolean;
      readonly after: "nothing" | "text" | "half a call";
    };
type Call = {
  readonly tool: (typeof TOOLS)[number];
  readonly id: "own" | "same" | "empty";
  readonly args: "good" | "half" | "list" | "none";
};

/** `ask` needs an approval, `nope` does not exist; the others are named after what they do. */
export const TOOLS = [
  "ok",
  "slow",
  "throws",
  "flaky",
  "suspends",
  "nothing",
  "deaf",
  "chatty",
  "ext",
  "ask",
  "nope",
  "generate_response",
] as const;

/** At its `nth` run, a hook at `point` does this. */
export type HookDeed = { readonly point: keyof typeof DEEDS; readonly nth: number; readonly deed: string };

export const DEEDS = {
  preCall: ["add input", "interrupt", "throw"],
  preReasoning: ["append", "other system", "interrupt", "throw"],
  postReasoning: [
    "stop",
    "goto",
    "goto with results",
    "drop calls",
    "add a call",
    "interrupt",
    "nonsense",
    "throw",
  ],
  preActing: ["deny", "other input", "interrupt", "throw"],
  postActing: ["stop", "other result", "interrupt", "throw"],
  preSummary: ["append", "interrupt", "throw"],
  postSummary: ["other text", "interrupt", "throw"],
  postCall: ["other reply", "interrupt", "throw"],
  onInterrupt: ["throw"],
  onError: ["throw"],
} as const;

/** Somebody does this when the `nth` event of this type has come. */
export type Disturbance = {
  readonly type:
    | "state"
    | "turn.start"
    | "model.start"
    | "block.delta"
    | "model.end"
    | "message"
    | "tool.start"
    | "tool.end";
  readonly nth: number;
  readonly deed: "interrupt" | "interrupt with words" | "steer" | "observe" | "abort" | "snapshot" | "crash";
  readonly when: "at once" | "a microtask later" | "a tick later";
};

/** What a caller does while the session rests. */
export type Step =
  | "text"
  | "text for output"
  | "nothing"
  | "all results"
  | "some results"
  | "results and text"
  | "wrong results"
  | "approve"
  | "deny"
  | "answer"
  | "edit"
  | "observe"
  | "interrupt"
  | "extend"
  | "restore"
  | "read a little";

export type Scenario = {
  readonly turns: readonly Turn[];
  readonly hooks: readonly HookDeed[];
  readonly disturbances: readonly Disturbance[];
  readonly steps: readonly Step[];
  readonly parallelToolCalls: boolean | number;
  readonly maxIters: number;
  readonly maxGotos: number;
  readonly onTextWhilePending: "refuse" | "cancelPending" | "queue";
  readonly modelCalls: number | undefined;
  readonly onExceeded: "suspend" | "stop";
  readonly hasFallback: boolean;
};

const call: fc.Arbitrary<Call> = fc.record({
  tool: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom("ok", "slow", "ext", "suspends") },
    { weight: 2, arbitrary: fc.constantFrom(...TOOLS) },
  ),
  id: fc.constantFrom("own", "own", "own", "same", "empty"),
  args: fc.constantFrom("good", "good", "good", "half", "list", "none"),
});

const turn: fc.Arbitrary<Turn> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("text"), thinking: fc.boolean() }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("calls"),
      text: fc.boolean(),
      calls: fc.array(call, { maxLength: 3 }),
      finish: fc.constantFrom("tool_calls", "tool_calls", "tool_calls", "length", "unknown"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("empty", "thinking only", "silent") }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("error"),
      isRetryable: fc.boolean(),
      after: fc.constantFrom("nothing", "text", "half a call"),
    }),
  },
);

const hook: fc.Arbitrary<HookDeed> = fc
  .constantFrom(...(Object.keys(DEEDS) as HookDeed["point"][]))
  .chain((point) =>
    fc.record({
      point: fc.constant(point),
      nth: fc.integer({ min: 1, max: 3 }),
      deed: fc.constantFrom(...DEEDS[point]),
    }),
  );

const disturbance: fc.Arbitrary<Disturbance> = fc.record({
  type: fc.constantFrom(
    "state",
    "state",
    "turn.start",
    "model.start",
    "block.delta",
    "model.end",
    "message",
    "tool.start",
    "tool.end",
  ),
  nth: fc.integer({ min: 1, max: 8 }),
  deed: fc.constantFrom(
    "interrupt",
    "interrupt with words",
    "steer",
    "observe",
    "abort",
    "snapshot",
    "crash",
  ),
  when: fc.constantFrom("at once", "a microtask later", "a tick later"),
});

const step: fc.Arbitrary<Step> = fc.constantFrom(
  "text",
  "text",
  "text for output",
  "nothing",
  "nothing",
  "all results",
  "all results",
  "some results",
  "results and text",
  "wrong results",
  "approve",
  "deny",
  "answer",
  "edit",
  "observe",
  "interrupt",
  "extend",
  "restore",
  "read a little",
);

/** A session: what its model, hooks, callers and bystanders do. */
export const scenario: fc.Arbitrary<Scenario> = fc.record({
  turns: fc.array(turn, { minLength: 1, maxLength: 6 }),
  hooks: fc.array(hook, { maxLength: 2 }),
  disturbances: fc.array(disturbance, { maxLength: 2 }),
  steps: fc.array(step, { maxLength: 5 }),
  parallelToolCalls: fc.constantFrom<boolean | number>(false, true, 2),
  maxIters: fc.integer({ min: 1, max: 4 }),
  maxGotos: fc.integer({ min: 0, max: 2 }),
  onTextWhilePending: fc.constantFrom("refuse", "cancelPending", "queue"),
  modelCalls: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined, freq: 4 }),
  onExceeded: fc.constantFrom("suspend", "stop"),
  hasFallback: fc.boolean(),
});
