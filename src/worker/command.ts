import { AgentError } from "../error/error.ts";
import type { JsonObject, Msg } from "../message/types.ts";
import { checkMessages } from "../message/validate.ts";
import type { Decision } from "../turn/pending.ts";
import type { Limits } from "../turn/context.ts";

/** What lies in a session's inbox. */
export type Command = { /** Epoch ms when it was dispatched. */ readonly at: number } & (
  | {
      readonly kind: "call";
      readonly messages: readonly Msg[];
      readonly agent?: string;
      readonly meta?: JsonObject;
    }
  | {
      readonly kind: "decide";
      readonly callId: string;
      readonly decision: Decision;
      readonly argsHash?: string;
    }
  | { readonly kind: "interrupt"; readonly message?: Msg }
  | { readonly kind: "steer"; readonly message: Msg }
  | { readonly kind: "extendBudget"; readonly extra: Limits }
  | { readonly kind: "cancel" }
);

export type CommandKind = Command["kind"];

/** The parts each kind must have, and their types. */
const SHAPES: { readonly [kind in CommandKind]: { readonly [field: string]: string } } = {
  call: { messages: "object" },
  decide: { callId: "string" },
  interrupt: {},
  steer: { message: "object" },
  extendBudget: { extra: "object" },
  cancel: {},
};

/** Reads an input; one without a kind is a call that another process of the agent left behind. Throws `message/invalid`. */
export function commandOf(data: JsonObject): Command {
  const { kind = "call", at = 0 } = data;
  const shape = Object.hasOwn(SHAPES, String(kind)) ? SHAPES[kind as CommandKind] : undefined;
  const isWhole =
    shape &&
    Object.entries(shape).every(([field, type]) => typeof data[field] === type && data[field] !== null);
  if (!isWhole || typeof at !== "number") {
    throw new AgentError("message/invalid", `The input is no command that this release knows.`);
  }
  if (kind === "decide") checkDecision(data["decision"]);
  return { ...data, kind, at } as unknown as Command;
}

/** What a result may hold. A transcript with anything else could not be read again. */
function areBlocks(output: unknown): boolean {
  const result = { type: "tool_result", id: "", name: "", output, state: "success" };
  const message = { id: "", role: "tool", name: "", content: [result], metadata: {}, timestamp: 0 };
  try {
    return checkMessages([message], "answer").length === 1;
  } catch {
    return false;
  }
}

const LIMITS: { readonly [limit in keyof Limits]-?: true } = {
  modelCalls: true,
  toolCalls: true,
  inputTokens: true,
  outputTokens: true,
  totalTokens: true,
  cost: true,
  wallMs: true,
};

/** Throws `config/invalid` for what extends no budget. */
export function checkExtra(extra: Limits): void {
  const limits = Object.entries(extra);
  const stranger = limits.find(([name]) => !Object.hasOwn(LIMITS, name));
  if (limits.length === 0 || stranger)
    throw new AgentError("config/invalid", `extendBudget: \`${stranger?.[0] ?? "{}"}\` names no limit.`);
  for (const [name, value] of limits) {
    if (typeof value === "number" && value > 0 && Number.isFinite(value)) continue;
    throw new AgentError("config/invalid", `extendBudget: \`${name}\` must be a number above 0.`);
  }
}

/** A command as an input's data: JSON, without what is undefined. */
export function dataOf(command: Command): JsonObject {
  return JSON.parse(JSON.stringify(command)) as JsonObject;
}

/** Whether each form of a decision that is no word is one. */
const FORMS: { readonly [part: string]: (value: unknown) => boolean } = {
  approve: (value) => value === true,
  deny: (value) => typeof value === "string",
  edit: (value) => typeof value === "object" && value !== null && !Array.isArray(value),
  answer: (value) => typeof value === "string" || areBlocks(value),
};

/** Throws `config/invalid` for what is no decision. */
export function checkDecision(decision: unknown): void {
  if (decision === "approve" || decision === "deny" || decision === "retry") return;
  const { remember, ...parts } = (decision ?? {}) as { readonly [part: string]: unknown };
  const [[form, value] = ["", undefined], ...more] = Object.entries(parts);
  const isForm = typeof decision === "object" && more.length === 0 && Object.hasOwn(FORMS, form);
  const fits =
    remember === undefined || (form === "approve" && (remember === "tool" || remember === "input"));
  if (isForm && fits && FORMS[form]!(value)) return;
  throw new AgentError(
    "config/invalid",
    'A decision is "approve", "deny", "retry", { approve: true }, { deny: text }, { edit: arguments } or { answer }.',
  );
}
