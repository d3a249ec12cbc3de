import * as z from "zod/mini";
import { REASONS } from "../message/types.ts";

// Objects keep the fields that a later release has added; what is checked is what this one reads.
function makeShapes() {
  const strings = z.array(z.string());
  const object = z.looseObject({});
  const objects = z.array(object);
  const instant = z.nullable(z.number());
  const count = z.int().check(z.nonnegative());
  const error = z.looseObject({ code: z.string(), message: z.string() });
  const toolUse = z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: object,
  });
  const result = z.looseObject({
    type: z.literal("tool_result"),
    id: z.string(),
    name: z.string(),
    output: objects,
    state: z.string(),
  });
  const wanted = z.looseObject({ mode: z.enum(["native", "tool"]), schema: object, reminders: count });
  const spent = z.looseObject({
    modelCalls: count,
    toolCalls: count,
    usage: object,
    extended: z.optional(object),
  });
  const recordFields = {
    status: z.enum(["pending", "approved", "running", "done", "suspended", "denied", "unknown"]),
    hooked: z.boolean(),
    stored: z.boolean(),
    attempt: count,
    since: z.number(),
    spawned: z.optional(count),
    result: z.optional(result),
    skipHooks: z.optional(z.boolean()),
    asks: z.optional(z.string()),
    argsHash: z.optional(z.string()),
    decidedBy: z.optional(z.string()),
    askedAgainAt: z.optional(z.number()),
    expiresAt: z.optional(z.number()),
    reason: z.optional(z.string()),
    answerSchema: z.optional(object),
    resume: z.optional(
      z.looseObject({
        round: count,
        asks: z.array(z.looseObject({ ask: z.looseObject({ id: z.string(), message: z.string() }) })),
        attempts: count,
        spent: z.optional(spent),
      }),
    ),
    spent: z.optional(spent),
    execution: z.optional(object),
    maxParallel: z.optional(z.number()),
    writes: z.optional(strings),
    onRestart: z.optional(z.enum(["retry", "ask", "fail"])),
    notBeforeAt: z.optional(z.number()),
    deadlineAt: z.optional(z.number()),
  };
  const record = z.looseObject(recordFields);
  const stats = z.looseObject({
    startedAt: z.number(),
    iterations: count,
    modelCalls: count,
    toolCalls: count,
    usage: object,
  });
  const progress = z.looseObject({
    turn: count,
    inputTurn: z.optional(count),
    agent: z.optional(
      z.looseObject({
        prompt: z.string(),
        permissions: z.string(),
        tools: z.record(z.string(), z.string()),
      }),
    ),
    iteration: count,
    gotos: count,
    emptyRetries: count,
    exempt: z.boolean(),
    continues: z.boolean(),
    made: count,
    settled: count,
    batchAt: z.int(),
    turnAt: count,
    extended: object,
    exceeded: z.nullable(z.string()),
    draining: z.boolean(),
    trace: z.optional(z.nullable(z.string())),
    persona: z.optional(z.nullable(z.string())),
    handoff: z.optional(z.nullable(z.string())),
    handoffs: z.optional(count),
    overrides: z.optional(
      z.looseObject({
        system: z.optional(z.looseObject({ text: z.string(), persona: z.nullable(z.string()) })),
        tools: z.optional(strings),
        model: z.optional(z.string()),
        options: z.optional(object),
      }),
    ),
    resumeAt: z.nullable(z.enum(["doCall", "reasoning", "acting", "summarizing"])),
    stats,
  });
  const request = z.looseObject({
    system: z.string(),
    attempt: count,
    usesFallback: z.boolean(),
    notBeforeAt: instant,
  });
  const inbox = z.looseObject({
    input: objects,
    steering: objects,
    queued: objects,
    wanted: z.optional(wanted),
    clientTools: z.optional(objects),
  });
  const remembered = z.array(z.looseObject({ tool: z.string(), argsHash: z.optional(z.string()) }));
  const interruption = z.looseObject({ cause: z.enum(["user", "signal", "timeout"]) });
  const slot = z.looseObject({ value: z.unknown(), version: count, revision: count });
  const slots = z.record(z.string(), slot);
  const view = z.optional(
    z.nullable(
      z.looseObject({
        from: count,
        head: z.array(count),
        clearedTo: count,
        mediaTo: z.optional(count),
        summary: z.optional(z.looseObject({ role: z.literal("user"), content: objects })),
      }),
    ),
  );
  const kept = z.looseObject({
    progress,
    inbox,
    request,
    calls: z.array(z.extend(record, { call: toolUse })),
    remembered,
    wanted: z.nullable(wanted),
    slots: z.optional(slots),
    interruption: z.optional(z.nullable(interruption)),
    view,
  });
  const values = z.record(z.string(), z.unknown());
  const ref = z.union([
    z.string(),
    z.number(),
    z.boolean(),
    z.looseObject({ ref: z.string() }),
    z.looseObject({ is: z.unknown() }),
  ]);
  const item = z.union([z.tuple([count, count]), ref]);
  const modelCall = z.looseObject({
    after: z.optional(count),
    set: z.record(z.string(), ref),
    unset: z.optional(strings),
    edits: z.optional(
      z.array(
        z.looseObject({
          hook: z.string(),
          pieces: z.optional(z.looseObject({ same: count, more: z.array(item) })),
        }),
      ),
    ),
    values: z.optional(values),
  });
  const entries = {
    session: object, // its format is judged by itself
    messages: z.looseObject({ from: count, messages: objects, closes: z.optional(z.literal(true)) }),
    call: z.looseObject({
      id: z.string(),
      set: z.partial(record),
      unset: z.optional(strings),
      call: z.optional(toolUse),
    }),
    "calls.closed": object,
    kept: z.looseObject({
      inbox: z.optional(inbox),
      remembered: z.optional(remembered),
      wanted: z.optional(z.nullable(wanted)),
      slots: z.optional(slots),
      interruption: z.optional(z.nullable(interruption)),
      view,
      system: z.optional(z.string()),
    }),
    "budget.extended": z.looseObject({ extended: object }),
    groups: z.looseObject({ active: strings }),
    slot: z.extend(slot, { name: z.string() }),
    position: z.looseObject({
      state: z.optional(z.string()),
      at: z.optional(z.number()),
      reason: z.optional(z.nullable(z.enum(REASONS))),
      progress: z.optional(z.extend(z.partial(progress), { stats: z.optional(z.partial(stats)) })),
      request: z.optional(z.partial(request)),
      steps: z.optional(z.array(z.looseObject({ x: z.array(z.int()) }))),
      modelCalls: z.optional(z.array(modelCall)),
      chart: z.optional(z.string()),
      adopted: z.optional(z.looseObject({ changed: strings, added: strings, gone: strings })),
      taken: z.optional(z.string()),
      hash: z.optional(z.string()),
    }),
    "turn.end": z.looseObject({
      reason: z.enum(REASONS),
      turn: z.optional(count),
      error: z.optional(error),
      isRefusal: z.optional(z.boolean()),
    }),
    "input.refused": z.looseObject({ id: z.string(), error }),
  };
  return { entries, kept };
}

/** The types of journal entries. */
export type EntryType = keyof ReturnType<typeof makeShapes>["entries"];

let made: ReturnType<typeof makeShapes> | undefined;
const shapes = (): ReturnType<typeof makeShapes> => (made ??= makeShapes());

function problemOf(schema: z.ZodMiniType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return issue && `${issue.path.join(".") || "it"}: ${issue.message}`;
}

/** Returns what is wrong with the data of a journal entry, "unknown" for a type that this release does not have, undefined if nothing
 *  is. */
export function shapeProblem(type: string, data: unknown): string | undefined {
  const { entries } = shapes();
  if (!Object.hasOwn(entries, type)) return "unknown";
  return problemOf(entries[type as EntryType], data);
}

/** Returns what is wrong with the stored parts of a context; undefined if nothing is. */
export function keptProblem(kept: unknown): string | undefined {
  return problemOf(shapes().kept, kept);
}
