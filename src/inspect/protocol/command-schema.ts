import { z } from "zod";
import type { JsonObject } from "../../core/base/json.ts";
import { lazily, type OptionSchema } from "../../core/base/option-schema.ts";
import { nameOf } from "../../core/base/options.ts";
import { decisionSchema } from "../../core/tool/decision-schema.ts";
import { limitsSchema } from "../../../machines/agent/limits-schema.ts";
import { areActorBreaks, MAX_BREAKS, MAX_BREAK_TEXT } from "./actor-break.ts";
import type { RunCommand } from "./commands.ts";

const text = z.string().min(1).max(1_000_000);
const idSchema = z.string().min(1).max(512);

const base = { id: idSchema, runId: z.string().min(1).max(4_096) };
const expect = z.strictObject({ leaf: z.string().max(256) }).optional();
const seq = z.int().min(0);
/** Returns the Zod schema of the values that fit the schema of an option. */
const fitting = <T>(option: OptionSchema<T>): z.ZodType =>
  z.unknown().check(({ value, issues }) => {
    const issue = option.issueOf(value);
    if (issue) issues.push({ code: "custom", path: [...issue.path], message: issue.message(), input: value });
  });

const commandSchema = lazily(() =>
  z.discriminatedUnion("type", [
    z.object({
      ...base,
      type: z.literal("decide"),
      callId: idSchema,
      decision: fitting(decisionSchema()),
      argsHash: z.string().max(256),
    }),
    z.object({ ...base, type: z.literal("extendBudget"), extra: fitting(limitsSchema()), expect }),
    z.object({ ...base, type: z.literal("interrupt"), text: text.optional() }),
    z.object({ ...base, type: z.literal("steer"), text }),
    z.object({ ...base, type: z.literal("send"), text, expect }),
    z.object({ ...base, type: z.literal("shutdown") }),
    z.object({ ...base, type: z.literal("resume"), expect }),
    z.object({ ...base, type: z.literal("compact"), text: text.optional(), expect }),
    z.object({
      ...base,
      type: z.literal("setSlot"),
      name: z.string().max(64),
      value: z.json(),
      revision: seq,
    }),
    z.object({
      ...base,
      type: z.literal("breakAt"),
      breaks: z.unknown().refine(areActorBreaks, {
        error: `expected at most ${MAX_BREAKS} of { "event": TYPE } and { "state": NAME }, with 1 to ${MAX_BREAK_TEXT} characters each`,
      }),
    }),
    z.object({
      ...base,
      type: z.literal("fork"),
      seq,
      changes: z.record(z.string(), z.json()).optional(), // they are checked where they are made
      times: z.int().min(1).max(20).optional(),
      start: z.boolean().optional(),
      tools: z.enum(["recorded", "live"]).optional(),
      input: text.optional(),
    }),
    z.object({
      ...base,
      type: z.literal("forkPlan"),
      seq,
      at: z.strictObject({ messageId: idSchema, side: z.enum(["with", "before"]) }).optional(),
      step: z
        .strictObject({ t: z.number(), x: z.array(z.string().max(4_096)).max(1_000), nth: seq })
        .optional(),
    }),
  ]),
);

/** Validates a command from the wire; returns the command, or a sentence that says what is wrong with it. */
export function readCommand(value: unknown): { readonly command: RunCommand } | { readonly problem: string } {
  const read = commandSchema().safeParse(value);
  if (read.success) return { command: read.data as RunCommand };
  const { path, message } = read.error.issues[0]!;
  return { problem: `${nameOf(path) ?? "The command"}: ${message}` };
}

/** The id of a value that may be a command, at most 512 characters; "" if it has none. */
export function commandIdOf(value: unknown): string {
  const id = (value as Partial<JsonObject> | null)?.["id"];
  return typeof id === "string" ? id.slice(0, 512) : "";
}
