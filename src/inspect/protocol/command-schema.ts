import { z } from "zod";
import type { JsonObject } from "../../base/json.ts";
import type { RunCommand } from "./protocol.ts";

const json = z.record(z.string(), z.json());
const text = z.string().min(1).max(1_000_000);
const idSchema = z.string().min(1).max(512);
const block = z.looseObject({ type: z.string() });
const amount = z.number().positive();

const decision = z.union([
  z.enum(["approve", "deny", "retry"]),
  z.strictObject({ approve: z.literal(true), remember: z.enum(["tool", "input"]).optional() }),
  z.strictObject({ deny: text }),
  z.strictObject({ edit: json }),
  z.strictObject({ answer: z.union([z.string().max(1_000_000), z.array(block)]) }),
]);

const limits = z.strictObject({
  modelCalls: amount.optional(),
  toolCalls: amount.optional(),
  inputTokens: amount.optional(),
  outputTokens: amount.optional(),
  totalTokens: amount.optional(),
  cost: amount.optional(),
  wallMs: amount.optional(),
});

const base = { id: idSchema, runId: z.string().min(1).max(4_096) };
const expect = z.strictObject({ leaf: z.string().max(256) }).optional();
const seq = z.int().min(0);
const command = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("decide"), callId: idSchema, decision, argsHash: z.string().max(256) }),
  z.object({ ...base, type: z.literal("extendBudget"), extra: limits, expect }),
  z.object({ ...base, type: z.literal("interrupt"), text: text.optional() }),
  z.object({ ...base, type: z.literal("steer"), text }),
  z.object({ ...base, type: z.literal("send"), text, expect }),
  z.object({ ...base, type: z.literal("shutdown") }),
  z.object({ ...base, type: z.literal("resume"), expect }),
  z.object({
    ...base,
    type: z.literal("fork"),
    seq,
    edits: z.array(z.strictObject({ messageId: idSchema, text: z.string().max(1_000_000) })).optional(),
    start: z.boolean().optional(),
  }),
  z.object({ ...base, type: z.literal("forkPlan"), seq }),
]);

/** Validates a command from the wire; returns the command, or a sentence that says what is wrong with it. */
export function readCommand(value: unknown): { readonly command: RunCommand } | { readonly problem: string } {
  const read = command.safeParse(value);
  if (read.success) return { command: read.data as RunCommand };
  const { path, message } = read.error.issues[0]!;
  return { problem: `${path.join(".") || "The command"}: ${message}` };
}

/** The id of a value that may be a command, at most 512 characters; "" if it has none. */
export function commandIdOf(value: unknown): string {
  const id = (value as Partial<JsonObject> | null)?.["id"];
  return typeof id === "string" ? id.slice(0, 512) : "";
}
