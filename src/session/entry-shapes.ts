import * as s from "../core/base/option-schema.ts";
import { mismatchOf } from "../core/base/options.ts";
import { REASONS } from "../core/message/types.ts";

// Objects keep the fields that a later release has added; what is checked is what this one reads.
const shapes = s.lazily(() => {
  const strings = s.listOf(s.string());
  const object = s.object();
  const objects = s.listOf(object);
  const instant = s.nullable(s.finite());
  const count = s.integer(0);
  const error = s.fields({ code: s.string(), message: s.string() });
  const toolUse = s.fields({
    type: s.exactly("tool_use"),
    id: s.string(),
    name: s.string(),
    input: object,
  });
  const result = s.fields({
    type: s.exactly("tool_result"),
    id: s.string(),
    name: s.string(),
    output: objects,
    state: s.string(),
  });
  const wanted = s.fields({ mode: s.oneOf("native", "tool"), schema: object, reminders: count });
  const spent = s.fields({
    modelCalls: count,
    toolCalls: count,
    usage: object,
    extended: s.optional(object),
  });
  const recordFields = {
    status: s.oneOf("pending", "approved", "running", "done", "suspended", "denied", "unknown"),
    hooked: s.boolean(),
    stored: s.boolean(),
    attempt: count,
    since: s.finite(),
    spawned: s.optional(count),
    result: s.optional(result),
    skipHooks: s.optional(s.boolean()),
    asks: s.optional(s.string()),
    argsHash: s.optional(s.string()),
    decidedBy: s.optional(s.string()),
    askedAgainAt: s.optional(s.finite()),
    expiresAt: s.optional(s.finite()),
    reason: s.optional(s.string()),
    answerSchema: s.optional(object),
    resume: s.optional(
      s.fields({
        round: count,
        asks: s.listOf(s.fields({ ask: s.fields({ id: s.string(), message: s.string() }) })),
        attempts: count,
        spent: s.optional(spent),
      }),
    ),
    spent: s.optional(spent),
    execution: s.optional(object),
    maxParallel: s.optional(s.finite()),
    writes: s.optional(strings),
    onRestart: s.optional(s.oneOf("retry", "ask", "fail")),
    notBeforeAt: s.optional(s.finite()),
    deadlineAt: s.optional(s.finite()),
    account: s.optional(object),
    rules: s.optional(object),
  };
  const statsFields = {
    startedAt: s.finite(),
    iterations: count,
    modelCalls: count,
    toolCalls: count,
    usage: object,
  };
  const progressFields = {
    process: s.optional(s.string()),
    turn: count,
    inputTurn: s.optional(count),
    agent: s.optional(
      s.fields({
        prompt: s.string(),
        permissions: s.string(),
        tools: s.recordOf(s.string()),
      }),
    ),
    iteration: count,
    gotos: count,
    emptyRetries: count,
    exempt: s.boolean(),
    continues: s.boolean(),
    made: count,
    settled: count,
    batchAt: s.integer(Number.MIN_SAFE_INTEGER),
    turnAt: count,
    extended: object,
    exceeded: s.nullable(s.string()),
    draining: s.boolean(),
    trace: s.optional(s.nullable(s.string())),
    persona: s.optional(s.nullable(s.string())),
    handoff: s.optional(s.nullable(s.string())),
    handoffs: s.optional(count),
    rules: s.optional(s.recordOf(s.fields({ id: s.string() }))),
    overrides: s.optional(
      s.fields({
        system: s.optional(s.fields({ text: s.string(), persona: s.nullable(s.string()) })),
        tools: s.optional(strings),
        model: s.optional(s.string()),
        options: s.optional(object),
      }),
    ),
    resumeAt: s.nullable(s.oneOf("doCall", "reasoning", "acting", "summarizing", "ending")),
    stats: s.fields(statsFields),
  };
  const requestFields = {
    system: s.string(),
    attempt: count,
    usesFallback: s.boolean(),
    notBeforeAt: instant,
  };
  const inbox = s.fields({
    input: objects,
    steering: objects,
    queued: objects,
    wanted: s.optional(wanted),
    clientTools: s.optional(objects),
  });
  const remembered = s.listOf(s.fields({ tool: s.string(), argsHash: s.optional(s.string()) }));
  const interruption = s.fields({ cause: s.oneOf("user", "signal", "timeout") });
  const slotFields = { value: s.anything(), version: count, revision: count };
  const slots = s.recordOf(s.fields(slotFields));
  const view = s.optional(
    s.nullable(
      s.fields({
        from: count,
        head: s.listOf(count),
        clearedTo: count,
        mediaTo: s.optional(count),
        cut: s.optional(s.listOf(s.fields({ from: count, to: count, tokens: s.finite() }))),
        omitted: s.optional(
          s.listOf(s.fields({ at: count, what: s.oneOf("media", "all"), code: s.string() })),
        ),
        summary: s.optional(s.fields({ role: s.exactly("user"), content: objects })),
      }),
    ),
  );
  const kept = s.fields({
    progress: s.fields(progressFields),
    inbox,
    request: s.fields(requestFields),
    calls: s.listOf(s.fields({ ...recordFields, call: toolUse })),
    remembered,
    wanted: s.nullable(wanted),
    slots: s.optional(slots),
    interruption: s.optional(s.nullable(interruption)),
    view,
  });
  const values = s.recordOf(s.anything());
  const ref = s.anyOf(
    [s.string(), s.finite(), s.boolean(), s.fields({ ref: s.string() }), s.fields({ is: s.anything() })],
    "a value or a reference",
  );
  const isRange = (value: unknown): boolean =>
    Array.isArray(value) && value.length === 2 && value.every((each) => count.issueOf(each) === undefined);
  const item = s.anyOf([s.value(isRange, "a range"), ref], "a range, a value or a reference");
  const modelCall = s.fields({
    after: s.optional(count),
    steps: s.optional(count),
    set: s.recordOf(ref),
    unset: s.optional(strings),
    edits: s.optional(
      s.listOf(
        s.fields({
          hook: s.string(),
          pieces: s.optional(s.fields({ same: count, more: s.listOf(item) })),
        }),
      ),
    ),
    values: s.optional(values),
  });
  const entries = {
    session: object, // its format is judged by itself
    "session.taken": s.fields({
      from: s.string(),
      until: s.finite(),
      by: s.string(),
      takeovers: count,
      isUnfinished: s.boolean(),
    }),
    messages: s.fields({ from: count, messages: objects, closes: s.optional(s.exactly(true)) }),
    call: s.fields({
      id: s.string(),
      set: s.fields(s.partial(recordFields)),
      unset: s.optional(strings),
      call: s.optional(toolUse),
    }),
    "calls.closed": object,
    kept: s.fields({
      inbox: s.optional(inbox),
      remembered: s.optional(remembered),
      wanted: s.optional(s.nullable(wanted)),
      slots: s.optional(slots),
      interruption: s.optional(s.nullable(interruption)),
      view,
      system: s.optional(s.string()),
    }),
    "budget.extended": s.fields({ extended: object }),
    groups: s.fields({ active: strings }),
    slot: s.fields({ ...slotFields, name: s.string() }),
    position: s.fields({
      state: s.optional(s.string()),
      at: s.optional(s.finite()),
      reason: s.optional(s.nullable(s.oneOf(...REASONS))),
      progress: s.optional(
        s.fields({ ...s.partial(progressFields), stats: s.optional(s.fields(s.partial(statsFields))) }),
      ),
      request: s.optional(s.fields(s.partial(requestFields))),
      steps: s.optional(
        s.listOf(
          s.fields({
            x: s.listOf(s.integer(Number.MIN_SAFE_INTEGER)),
            at: s.optional(s.finite()),
            facts: s.optional(count),
            did: s.optional(object),
          }),
        ),
      ),
      modelCalls: s.optional(s.listOf(modelCall)),
      chart: s.optional(s.string()),
      adopted: s.optional(s.fields({ changed: strings, added: strings, gone: strings })),
      taken: s.optional(s.string()),
      hash: s.optional(s.string()),
    }),
    "turn.end": s.fields({
      reason: s.oneOf(...REASONS),
      turn: s.optional(count),
      error: s.optional(error),
      reply: s.optional(s.fields({ id: s.string(), role: s.exactly("assistant"), content: objects })),
      limit: s.optional(s.fields({ name: s.string(), allowed: s.finite(), used: s.finite() })),
      isRefusal: s.optional(s.boolean()),
    }),
    "input.refused": s.fields({ id: s.string(), error }),
  };
  return { entries, kept };
});

/** The types of journal entries. */
export type EntryType = keyof ReturnType<typeof shapes>["entries"];

/** Returns what is wrong with the data of a journal entry, "unknown" for a type that this release does not have, undefined if nothing
 *  is. */
export function shapeProblem(type: string, data: unknown): string | undefined {
  const { entries } = shapes();
  if (!Object.hasOwn(entries, type)) return "unknown";
  return mismatchOf(entries[type as EntryType], data);
}

/** Returns what is wrong with the stored parts of a context; undefined if nothing is. */
export function keptProblem(kept: unknown): string | undefined {
  return mismatchOf(shapes().kept, kept);
}
