import { AgentError } from "../error/error.ts";
import type { JsonObject, Msg } from "../message/types.ts";
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
  return { ...data, kind, at } as unknown as Command;
}

/** A command as an input's data: JSON, without what is undefined. */
export function dataOf(command: Command): JsonObject {
  return JSON.parse(JSON.stringify(command)) as JsonObject;
}

/** Throws `config/invalid` for what is no decision. */
export function checkDecision(decision: unknown): void {
  if (decision === "approve" || decision === "deny" || decision === "retry") return;
  const { approve, deny, edit, answer } = (decision ?? {}) as { readonly [part: string]: unknown };
  const isObject = typeof edit === "object" && edit !== null && !Array.isArray(edit);
  if (approve === true || typeof deny === "string" || isObject) return;
  if (typeof answer === "string" || Array.isArray(answer)) return;
  throw new AgentError(
    "config/invalid",
    'A decision is "approve", "deny", "retry", { approve: true }, { deny: text }, { edit: arguments } or { answer }.',
  );
}
