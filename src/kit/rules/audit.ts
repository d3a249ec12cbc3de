import { messageOf } from "../../core/base/error.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { toolResultsOf, toolUsesOf } from "../../core/message/msg.ts";
import type { CallAccount, Msg, ToolResultBlock, ToolUseBlock } from "../../core/message/types.ts";
import type { SessionEntry } from "../../session/entry.ts";
import { MessageFold } from "../../session/message-fold.ts";
import { readEntries } from "../../session/read-entry.ts";
import type { SessionStore } from "../../store/port.ts";
import { cameTo, isOwnMessage, unknownBefore } from "../../core/tool/rules/came-to.ts";
import { judge, type Judgement } from "../../core/tool/rules/judge.ts";
import {
  isCounted,
  isJudged,
  type Letter,
  type OtherCall,
  type RuledCall,
  type RuleStates,
} from "../../core/tool/rules/law.ts";
import type { Rule } from "../../core/tool/rules/rule.ts";
import { stateOf, step } from "../../core/tool/rules/step.ts";
import { lettersOf } from "./letters.ts";

/** The finding of a rule about a call of a stored session. */
export type Finding = {
  /** The kind of the finding: the rule would have stopped the call (`broke`), or the call would have waited for others of its batch
   *  (`ordered`). It is `unjudged` if the arguments with which the call ran cannot be read any more, such as arguments that were redacted. */
  readonly what: "broke" | "ordered" | "unjudged";
  readonly rule: string;
  /** The demand of the rule. */
  readonly says: string;
  readonly callId: string;
  readonly tool: string;
  /** The journal entry with which the call began to run, or with its result if nothing before it is stored. */
  readonly seq: number;
  /** The time at which that was, epoch ms. */
  readonly at: number;
};

/** Options of {@link auditSession}. */
export type AuditOptions = {
  /** Returns the arguments that the rules read of a call, such as what its schema makes of the stored ones. `before` are the messages up to the answer that asks for it. What it throws leaves the call unjudged. Default: the stored
   *  arguments. */
  readonly inputOf?:
    | ((call: { readonly name: string; readonly input: JsonObject }, before: readonly Msg[]) => JsonObject)
    | undefined;
};

/** A call of the session, as far as its journal was read. */
type KnownCall = {
  call: ToolUseBlock;
  readonly id: string;
  readonly batchAt: number;
  is: OtherCall["is"] | "done";
  hasStarted: boolean;
  account: CallAccount | undefined;
  /** The arguments that rules read, and for which call. */
  read:
    | { readonly of: ToolUseBlock; readonly input: JsonObject | undefined; readonly problem: string }
    | undefined;
};

type Entry<Type extends SessionEntry["type"]> = Extract<SessionEntry, { readonly type: Type }>;

/** Reads the journal of one session with rules, append by append. */
class SessionAudit {
  readonly findings: Finding[] = [];
  readonly #rules: readonly Rule[];
  readonly #inputOf: AuditOptions["inputOf"];
  /** The conversation, if somebody wants to read it. */
  readonly #fold = new MessageFold();
  readonly #calls = new Map<string, KnownCall>();
  #waiting: SessionEntry[] = [];
  #states: RuleStates = {};
  #turn = 0;

  constructor(rules: readonly Rule[], { inputOf }: AuditOptions) {
    this.#rules = rules;
    this.#inputOf = inputOf;
  }

  push(entry: SessionEntry): void {
    if (this.#inputOf) this.#fold.push(entry);
    if (entry.type !== "position" || entry.data.state === undefined) {
      this.#waiting.push(entry);
      return;
    }
    this.#turn = entry.data.progress?.turn ?? this.#turn;
    this.end();
  }

  /** Reads the rest of a journal that ends within an append. */
  end(): void {
    for (const entry of this.#waiting.splice(0)) {
      if (entry.type === "messages") this.#read(entry);
      if (entry.type === "call") this.#follow(entry);
    }
  }

  #read({ seq, data: { from, messages } }: Entry<"messages">): void {
    messages.forEach((message, offset) => {
      if ("ref" in message) return;
      const batchAt = from + offset;
      toolUsesOf(message).forEach((call, place) => {
        if (this.#calls.has(call.id)) return;
        const id = `${batchAt}:${place}`;
        this.#calls.set(call.id, {
          call,
          id,
          batchAt,
          is: "next",
          hasStarted: false,
          account: undefined,
          read: undefined,
        });
      });
      const isGiven = !isOwnMessage(message);
      for (const result of toolResultsOf(message)) this.#end(seq, result, message.timestamp, isGiven);
    });
  }

  #follow({ seq, data: { id, set, call } }: Entry<"call">): void {
    const known = this.#calls.get(id);
    if (!known || known.is === "done") return;
    if (call) known.call = call;
    if (set.account) known.account = set.account;
    if (set.status === "running") {
      this.#start(seq, known, set.since ?? 0);
      known.is = "running";
    }
    if (set.status === "approved" || set.status === "pending") known.is = "next";
    if (set.status === "suspended" || set.status === "unknown") known.is = "stuck";
    if (set.result) this.#end(seq, set.result, set.since ?? 0, false);
  }

  #start(seq: number, known: KnownCall, at: number): void {
    known.hasStarted = true;
    for (const rule of this.#rules) {
      const { data } = rule;
      if (!isJudged(data.law, known.call.name)) continue;
      const ruled = this.#ruled(rule, known);
      const judgement: Judgement | "unjudged" = ruled.letter?.problem
        ? "unjudged"
        : judge(
            data.law,
            stateOf(data, this.#states, this.#turn),
            ruled,
            () => this.#others(rule, known),
            at,
          );
      if (judgement === "run") continue;
      const what = judgement === "break" ? "broke" : judgement === "wait" ? "ordered" : judgement;
      const { id: callId, name: tool } = known.call;
      this.findings.push({ what, rule: data.name, says: data.says, callId, tool, seq, at });
    }
  }

  #end(seq: number, result: ToolResultBlock, at: number, isGiven: boolean): void {
    const known = this.#calls.get(result.id);
    if (!known || known.is === "done") return;
    const told = { ...result, account: result.account ?? known.account ?? {} };
    const came = cameTo({ result: told, isGiven });
    if (came !== undefined && !known.hasStarted && !isGiven) this.#start(seq, known, at);
    known.is = "done";
    if (came === undefined) return;
    for (const rule of this.#rules) {
      const { data } = rule;
      if (!isCounted(data.law, known.call.name)) continue;
      const ruled = this.#ruled(rule, known);
      let state = stateOf(data, this.#states, this.#turn);
      for (let attempt = unknownBefore(told); attempt > 0; attempt--)
        state = step(data.law, state, { ...ruled, id: `${ruled.id}?${attempt}` }, "maybe", at);
      const next = step(data.law, state, ruled, came, at);
      this.#states = { ...this.#states, [data.name]: next };
    }
  }

  /** The arguments of a call as rules read them. */
  #inputRead(known: KnownCall): NonNullable<KnownCall["read"]> {
    const { call, read, batchAt } = known;
    if (read?.of === call) return read;
    const { name, input } = call;
    try {
      const given = this.#inputOf
        ? this.#inputOf({ name, input }, this.#fold.messages.slice(0, batchAt))
        : input;
      known.read = { of: call, input: given, problem: "" };
    } catch (error) {
      known.read = { of: call, input: undefined, problem: messageOf(error) };
    }
    return known.read;
  }

  #letter(rule: Rule, known: KnownCall): Letter | undefined {
    if (!rule.parts.read) return undefined;
    const { input, problem } = this.#inputRead(known);
    return input ? lettersOf([rule], known.call.name, input)?.[rule.data.name] : { problem };
  }

  #ruled(rule: Rule, known: KnownCall): RuledCall {
    const { call, id, account } = known;
    const letter = this.#letter(rule, known);
    const approval = account?.decided?.findLast(
      ({ decision }) => decision === "approve" || decision === "edit",
    );
    return { id, name: call.name, letter, ...(approval && { approver: approval.by ?? "" }) };
  }

  #others(rule: Rule, known: KnownCall): readonly OtherCall[] {
    return [...this.#calls.values()].flatMap((other): OtherCall[] =>
      other === known || other.is === "done" || other.batchAt !== known.batchAt
        ? []
        : [{ ...this.#ruled(rule, other), is: other.is }],
    );
  }
}

/**
 * Reads a stored session with rules, and returns what they would have made of its calls, in order: the same automata that enforce them. The
 * session need not have had the rules. Arguments are read as the model, hooks and people gave them: what only the schema of a tool or its
 * presets made of them is not there, unless `inputOf` says it. Rejects `session/damaged` and `session/version` for a journal that cannot be read.
 *
 * @example
 * ```ts
 * import { auditSession, before } from "agentchart/rules";
 * import { fileStore } from "agentchart/store/file";
 *
 * const findings = await auditSession(fileStore({ dir: "./sessions" }), "customer-42", [before("verify", "refund")]);
 * for (const { what, rule, tool, seq } of findings) console.log(what, rule, tool, seq);
 * ```
 */
export async function auditSession(
  store: SessionStore,
  sessionId: string,
  rules: readonly Rule[],
  options: AuditOptions = {},
): Promise<readonly Finding[]> {
  const audit = new SessionAudit(rules, options);
  for await (const entry of readEntries(store, sessionId)) audit.push(entry);
  audit.end();
  return audit.findings;
}
