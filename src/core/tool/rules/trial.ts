import { isObject, type Json, type JsonObject } from "../../base/json.ts";
import type { CallAccount, ToolResultBlock } from "../../message/types.ts";
import { cameTo, isOwnMessage, unknownBefore } from "./came-to.ts";
import { judge } from "./judge.ts";
import {
  isCounted,
  isJudged,
  type Came,
  type Law,
  type Letter,
  type OtherCall,
  type RuledCall,
  type RuleState,
} from "./law.ts";
import { step } from "./step.ts";

/** A rule as a person writes it down, without functions. */
export type TriedRule = {
  readonly kind: "before" | "never" | "atMost" | "sum" | "approvedBy";
  /** The tools whose calls are judged; names may hold `*` and `?`. */
  readonly then: readonly string[];
  /** Of `before` and `never`: the tools whose success counts. */
  readonly first?: readonly string[] | undefined;
  /** The argument that calls about the same have in common; absent: all are about the same. */
  readonly per?: string | undefined;
  /** Of `atMost` and `sum`. */
  readonly max?: number | undefined;
  /** Of `sum`: the argument that is summed up. */
  readonly amount?: string | undefined;
  /** Of `approvedBy`. */
  readonly people?: readonly string[] | undefined;
  /** The time for which what has happened counts, ms; absent: for ever. */
  readonly withinMs?: number | undefined;
  readonly scope: "session" | "turn";
};

/** The finding about a call of a run: the rule would have stopped it, would have put it behind others of its batch, or cannot judge it. */
export type TrialFinding = {
  readonly what: "broke" | "ordered" | "unjudged";
  readonly callId: string;
  readonly tool: string;
  /** The step in which it began to run, or in which its result came if it began and ended within one. */
  readonly step: number;
};

/** A call of the run, as far as its steps were read. */
type Known = {
  call: JsonObject;
  readonly id: string;
  readonly batchAt: Json | undefined;
  is: OtherCall["is"] | "done";
  hasStarted: boolean;
  account: Json | undefined;
};

function lawOf({ kind, then, first = [], max = 0, people = [], withinMs }: TriedRule): Law {
  const within = withinMs === undefined ? {} : { within: withinMs };
  switch (kind) {
    case "before":
      return { kind, first, then, ...within };
    case "never":
      return { kind, after: first, then, ...within };
    case "atMost":
    case "sum":
      return { kind: "limit", then, max, ...within };
    case "approvedBy":
      return { kind: "approved", then, by: people };
  }
}

/** Tries a rule on the steps of a run, in order, as if it had been there: what it would have made of each call. What it reads may come
 *  from a file that somebody has edited: parts of another shape are left out. */
export class RuleTrial {
  readonly findings: TrialFinding[] = [];
  readonly #rule: TriedRule;
  readonly #law: Law;
  readonly #calls = new Map<string, Known>();
  #state: RuleState = { id: "" };
  #seen: Json | undefined;
  #count = 0;

  constructor(rule: TriedRule) {
    this.#rule = rule;
    this.#law = lawOf(rule);
  }

  /** Reads the context of the machine after a step. */
  add(number: number, context: JsonObject): void {
    const { progress, calls, messages, at } = context;
    const { turn, batchAt } = isObject(progress) ? progress : {};
    if (this.#rule.scope === "turn" && typeof turn === "number" && turn !== this.#state.turn)
      this.#state = { id: "", turn };
    const now = typeof at === "number" ? at : 0;
    const records = Array.isArray(calls) ? calls.filter(isObject) : [];
    for (const record of records) this.#know(record, batchAt);
    for (const { result, call } of records)
      if (isObject(result) && isObject(call)) this.#end(number, String(call["id"]), result, now, false);
    this.#readMessages(number, messages, now);
    for (const { call, status } of records)
      if (isObject(call)) this.#follow(number, String(call["id"]), status, now);
  }

  #know({ call, account }: JsonObject, batchAt: Json | undefined): void {
    if (!isObject(call) || typeof call["id"] !== "string") return;
    const known = this.#calls.get(call["id"]);
    if (known && known.is !== "done") {
      known.call = call;
      known.account = account ?? known.account;
    }
    if (known) return;
    const id = String(++this.#count);
    this.#calls.set(call["id"], { call, id, batchAt, is: "next", hasStarted: false, account });
  }

  #readMessages(number: number, messages: Json | undefined, at: number): void {
    if (messages === this.#seen || !Array.isArray(messages)) return;
    const before = Array.isArray(this.#seen) ? this.#seen : [];
    this.#seen = messages;
    const isLonger = before.length > 0 && messages[before.length - 1] === before.at(-1);
    for (const message of (isLonger ? messages.slice(before.length) : messages).filter(isObject)) {
      const { id, content } = message;
      const isGiven = typeof id !== "string" || !isOwnMessage({ id });
      for (const block of Array.isArray(content) ? content.filter(isObject) : [])
        if (block["type"] === "tool_result") this.#end(number, String(block["id"]), block, at, isGiven);
    }
  }

  #follow(number: number, callId: string, status: Json | undefined, at: number): void {
    const known = this.#calls.get(callId);
    if (!known || known.is === "done") return;
    if (status === "running" && known.is !== "running") this.#start(number, known, at);
    if (status === "running") known.is = "running";
    if (status === "approved" || status === "pending") known.is = "next";
    if (status === "suspended" || status === "unknown") known.is = "stuck";
  }

  #start(number: number, known: Known, at: number): void {
    known.hasStarted = true;
    const ruled = this.#ruled(known);
    if (!isJudged(this.#law, ruled.name)) return;
    const isUnread = ruled.letter?.problem !== undefined;
    const judgement = isUnread
      ? "unjudged"
      : judge(this.#law, this.#state, ruled, () => this.#others(known), at);
    if (judgement === "run") return;
    const what = judgement === "break" ? "broke" : judgement === "wait" ? "ordered" : judgement;
    this.findings.push({ what, callId: String(known.call["id"]), tool: ruled.name, step: number });
  }

  #end(number: number, callId: string, block: JsonObject, at: number, isGiven: boolean): void {
    const known = this.#calls.get(callId);
    if (!known || known.is === "done") return;
    const { state, code, account = known.account } = block;
    const output = Array.isArray(block["output"]) ? block["output"].filter(isObject) : [];
    const result = {
      state,
      code,
      output: output.map((part) => ({ ...part, text: textOf(part["text"]) })),
      account: accountOf(account),
    } as unknown as ToolResultBlock;
    const came = cameTo({ result, isGiven });
    if (came !== undefined && !known.hasStarted && !isGiven) this.#start(number, known, at);
    known.is = "done";
    if (came === undefined || !isCounted(this.#law, String(known.call["name"]))) return;
    const ruled = this.#ruled(known);
    const count = (of: RuledCall, as: Came): void => {
      this.#state = step(this.#law, this.#state, of, as, at);
    };
    for (let attempt = unknownBefore(result); attempt > 0; attempt--)
      count({ ...ruled, id: `${ruled.id}?${attempt}` }, "maybe");
    count(ruled, came);
  }

  #ruled({ call, id, account }: Known): RuledCall {
    const approval = (accountOf(account).decided ?? []).findLast(
      ({ decision }) => decision === "approve" || decision === "edit",
    );
    return {
      id,
      name: String(call["name"]),
      letter: this.#letter(call["input"]),
      ...(approval && { approver: approval.by ?? "" }),
    };
  }

  #letter(input: Json | undefined): Letter {
    const { per, amount } = this.#rule;
    const given = isObject(input) ? input : {};
    const key = per === undefined ? undefined : given[per];
    if (per !== undefined && !["string", "number", "boolean"].includes(typeof key))
      return { problem: `its argument '${per}' is not a text, a number or a boolean` };
    const sum = amount === undefined ? undefined : given[amount];
    if (amount !== undefined && !(typeof sum === "number" && sum >= 0))
      return { problem: `its argument '${amount}' is not a number of at least 0` };
    return {
      ...(key !== undefined && { key: String(key) }),
      ...(typeof sum === "number" && { amount: sum }),
    };
  }

  #others(known: Known): readonly OtherCall[] {
    return [...this.#calls.values()].flatMap((other): OtherCall[] =>
      other === known || other.is === "done" || other.batchAt !== known.batchAt
        ? []
        : [{ ...this.#ruled(other), is: other.is }],
    );
  }
}

const textOf = (value: Json | undefined): string => {
  const text = isObject(value) ? value["head"] : value;
  return typeof text === "string" ? text : "";
};

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** The parts of an account that an outcome is read from. */
function accountOf(value: Json | undefined): Pick<CallAccount, "decided" | "attempts" | "results"> {
  if (!isObject(value)) return {};
  const { decided, attempts, results } = value;
  return {
    decided: listOf(decided),
    attempts: listOf(attempts).map((attempt) => ({ ...attempt, error: textOf(attempt["error"]) })),
    ...(listOf(results).length > 0 && { results: listOf(results) }),
  } as unknown as Pick<CallAccount, "decided" | "attempts" | "results">;
}
