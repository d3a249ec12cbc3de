import { z } from "zod";
import type { JsonObject } from "../../base/json.ts";
import type { Command } from "./protocol.ts";

const json = z.record(z.string(), z.json());
const text = z.string().min(1).max(1_000_000);
const id = z.string().min(1).max(512);
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

const base = { id, runId: z.string().min(1).max(4_096) };
const expect = z.strictObject({ leaf: z.string().max(256) }).optional();
const seq = z.int().min(0);
const command = z.discriminatedUnion("type", [
  z.object({ ...base, type: z.literal("decide"), callId: id, decision, argsHash: z.string().max(256) }),
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
    edits: z.array(z.strictObject({ messageId: id, text: z.string().max(1_000_000) })).optional(),
    start: z.boolean().optional(),
  }),
  z.object({ ...base, type: z.literal("forkPlan"), seq }),
]);

/** A command as it came over the wire, or what is wrong with it. */
export function readCommand(value: unknown): { readonly command: Command } | { readonly problem: string } {
  const read = command.safeParse(value);
  if (read.success) return { command: read.data as Command };
  const { path, message } = read.error.issues[0]!;
  return { problem: `${path.join(".") || "The command"}: ${message}` };
}

/** The id of something that may be a command. */
export function commandIdOf(value: unknown): string {
  const given = (value as Partial<JsonObject> | null)?.["id"];
  return typeof given === "string" ? given.slice(0, 512) : "";
}
