import { isSame, isObject, type Json, type JsonObject } from "../../core/base/json.ts";
import type { CallAccount, ToolResultState } from "../../core/message/types.ts";
import { applyPatch } from "../protocol/patch.ts";
import type { Step } from "../protocol/protocol.ts";
import { callIn } from "../protocol/prompt-lens.ts";
import type { RecordedCall } from "../protocol/recorded-call.ts";
import type {
  CallFact,
  FailureFact,
  LimitFact,
  MessageFact,
  RequestFact,
  RestFact,
  RunFacts,
  WideApproval,
} from "./facts.ts";
import { leftOutOf } from "./left-out.ts";

/** The maximum number of characters of a text in facts. */
const MAX_TEXT = 500;

const listOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
const stringOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" ? value : undefined;
const numberOf = (value: Json | undefined): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
const namesOf = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

/** A text, or how a long one begins. */
function textOf(value: Json | undefined): string {
  const text = isObject(value) ? value["head"] : value;
  return typeof text === "string" ? text.slice(0, MAX_TEXT) : "";
}

const textOfBlocks = (blocks: readonly JsonObject[]): string =>
  blocks
    .flatMap(({ type, text }) => (type === "text" ? [textOf(text)] : []))
    .join("\n")
    .slice(0, MAX_TEXT);

/**
 * Reads the facts of a run from its steps, each step once and in order: a run that grows costs as much as its new steps. What it reads may come
 * from a file that somebody has edited: parts of another shape are left out.
 */
export class FactReader {
  readonly #calls: CallFact[] = [];
  readonly #callPlaces = new Map<string, number>();
  readonly #requests: RequestFact[] = [];
  readonly #messages: MessageFact[] = [];
  readonly #said = new Set<string>();
  readonly #rests: RestFact[] = [];
  readonly #failures: FailureFact[] = [];
  readonly #wide: WideApproval[] = [];
  /** The records of calls that were read, when each call began to run last, and how long it ran. */
  #records: Json | undefined;
  readonly #began = new Map<string, number>();
  readonly #ranFor = new Map<string, number>();
  #context: JsonObject;
  /** The messages that were read, and how many they were. */
  #seen: Json | undefined;
  /** The id and the attempt of the newest request. */
  #requested = "";
  #remembered: Json | undefined;
  #last: number;

  /** `context`: that before the first step that is added; `last`: the number of the step before it. */
  constructor(context: JsonObject = {}, last = 0) {
    this.#context = context;
    this.#last = last;
  }

  /** The number of the newest step that was read. */
  get last(): number {
    return this.#last;
  }

  /** The facts so far. They grow with the reader. */
  get facts(): RunFacts {
    return {
      calls: this.#calls,
      requests: this.#requests,
      messages: this.#messages,
      rests: this.#rests,
      failures: this.#failures,
      wideApprovals: this.#wide,
    };
  }

  /** Reads the next step. */
  add(step: Pick<Step, "q" | "e" | "d" | "p">): void {
    if (step.p) this.#context = applyPatch(this.#context, step.p);
    this.#last = step.q;
    const turn = this.#turn();
    this.#readRuns();
    this.#readMessages(step.q, turn);
    this.#readRequest(step.q);
    this.#readApprovals(step.q);
    this.#readAccount(step, turn);
  }

  #turn(): number {
    const { progress } = this.#context;
    return (isObject(progress) ? numberOf(progress["turn"]) : undefined) ?? 0;
  }

  /** Reads since when calls have run, and when they ended. The last result of a batch ends with the step that stores it. */
  #readRuns(): void {
    const { calls } = this.#context;
    if (calls === this.#records) return;
    this.#records = calls;
    for (const { call, status, since } of listOf(calls)) {
      const id = isObject(call) ? stringOf(call["id"]) : undefined;
      const at = numberOf(since);
      if (id === undefined || at === undefined) continue;
      const began = this.#began.get(id);
      if (status === "running") this.#began.set(id, at);
      else if (began !== undefined && !this.#ranFor.has(id)) this.#ranFor.set(id, Math.max(0, at - began));
      if (status === "running") this.#ranFor.delete(id);
    }
  }

  /** The time that a call has run, once it has a result; undefined if it did not run or that is not known. */
  #ranForOf(id: string): number | undefined {
    const [began, at] = [this.#began.get(id), numberOf(this.#context["at"])];
    const known = this.#ranFor.get(id);
    this.#began.delete(id);
    this.#ranFor.delete(id);
    return known ?? (began === undefined || at === undefined ? undefined : Math.max(0, at - began));
  }

  #readMessages(step: number, turn: number): void {
    const { messages } = this.#context;
    const before = this.#seen;
    if (messages === before || !Array.isArray(messages)) return;
    this.#seen = messages;
    const isLonger =
      Array.isArray(before) && before.length > 0 && messages[before.length - 1] === before.at(-1);
    for (const message of isLonger ? messages.slice(before.length) : messages) {
      const id = isObject(message) ? stringOf(message["id"]) : undefined;
      if (id === undefined || this.#said.has(id)) continue;
      this.#said.add(id);
      this.#readMessage(message as JsonObject, id, step, turn);
    }
  }

  #readMessage(message: JsonObject, id: string, step: number, turn: number): void {
    const blocks = listOf(message["content"]);
    const addedBy = stringOf(message["addedBy"]);
    const usage = isObject(message["usage"]) ? message["usage"] : {};
    const promptTokens = numberOf(usage["inputTokens"]);
    const asked = blocks.filter(({ type }) => type === "tool_use");
    this.#messages.push({
      id,
      role: stringOf(message["role"]) ?? "",
      step,
      turn,
      text: textOfBlocks(blocks),
      calls: asked.length,
      changedBy: namesOf(message["changedBy"]),
      ...(addedBy !== undefined && { addedBy }),
      ...(promptTokens !== undefined && { promptTokens }),
    });
    for (const block of asked) this.#addCall(block, step, turn);
    for (const block of blocks) if (block["type"] === "tool_result") this.#addResult(block, step);
  }

  #addCall({ id, name, input = {}, rawInput }: JsonObject, askedAt: number, turn: number): void {
    if (typeof id !== "string" || this.#callPlaces.has(id)) return;
    const fact = { id, tool: textOf(name), input: rawInput ?? input, turn, askedAt };
    this.#callPlaces.set(id, this.#calls.push(fact) - 1);
  }

  #addResult({ id, state, code, output, account }: JsonObject, answeredAt: number): void {
    if (typeof id !== "string") return;
    const place = this.#callPlaces.get(id);
    if (place === undefined) return;
    const known = accountIn(account);
    const ranForMs = this.#ranForOf(id);
    this.#calls[place] = {
      ...this.#calls[place]!,
      answeredAt,
      ...(typeof state === "string" && { state: state as ToolResultState }),
      ...(typeof code === "string" && { code }),
      text: textOfBlocks(listOf(output)),
      ...(known && { account: known }),
      ...(ranForMs !== undefined && { ranForMs }),
    };
  }

  #readRequest(step: number): void {
    const recorded: unknown = this.#context["modelCall"];
    if (!isObject(recorded) || recorded["step"] !== step) return;
    const call = callIn(this.#context);
    const key = `${call?.id} ${call?.attempt}`;
    if (!call || key === this.#requested) return;
    this.#requested = key;
    if (call.phase === "compaction") return;
    const { messages } = this.#context;
    this.#requests.push({
      step,
      turn: call.turn,
      number: call.number,
      model: call.model,
      tools: offeredBy(call),
      ...(call.window !== undefined && { window: call.window }),
      left: leftOutOf(call, Array.isArray(messages) ? messages : []).map(({ message, ...left }) => ({
        ...left,
        messageId: stringOf(message["id"]) ?? "",
        text: textOfBlocks(listOf(message["content"])),
      })),
    });
  }

  #readApprovals(step: number): void {
    const { remembered } = this.#context;
    if (remembered === this.#remembered) return;
    const before = listOf(this.#remembered);
    this.#remembered = remembered;
    const isWide = ({ tool, argsHash }: JsonObject): boolean =>
      typeof tool === "string" && argsHash === undefined;
    for (const approval of listOf(remembered).filter(isWide))
      if (!before.some((each) => isWide(each) && each["tool"] === approval["tool"]))
        this.#wide.push({ step, tool: String(approval["tool"]) });
  }

  #readAccount({ q: step, e: event, d: account }: Pick<Step, "q" | "e" | "d">, turn: number): void {
    if (!account) return;
    const service = /^xstate\.(?:done|error)\.actor\.(\w+)/.exec(event)?.[1] ?? event;
    if (account.error)
      this.#failures.push({
        step,
        turn,
        service,
        text: `${account.error.code ?? ""} ${account.error.message}`.trim(),
      });
    const { end } = account;
    if (!end) return;
    const { outcome } = this.#context;
    const reached = isObject(outcome) ? limitIn(outcome["limit"]) : undefined;
    this.#rests.push({
      turn: end.turn,
      step,
      reason: end.reason,
      ...(end.error && { error: `${end.error.code ?? ""} ${end.error.message}`.trim() }),
      ...(reached && { reached }),
      limits: limitsIn(this.#context),
      replyChangedBy: replyChangers(this.#context),
    });
  }
}

/** The names of the tools of a request, after hooks. */
function offeredBy({ tools, edits }: RecordedCall): readonly string[] {
  const names = tools.map(({ name }) => textOf(name));
  return edits.reduce<readonly string[]>(
    (now, { tools: left }) => (left ? now.filter((name) => left.includes(name)) : now),
    names,
  );
}

function limitIn(value: Json | undefined): LimitFact | undefined {
  if (!isObject(value)) return undefined;
  const { name, allowed, used } = value;
  return typeof name === "string" && typeof allowed === "number" && typeof used === "number"
    ? { name, allowed, used }
    : undefined;
}

/** The limits of the budget as the newest request has them, with what the turn has used. */
function limitsIn({ modelCall, progress, at }: JsonObject): readonly LimitFact[] {
  const budget = isObject(modelCall) ? modelCall["budget"] : undefined;
  const { stats, extended } = isObject(progress) ? progress : {};
  if (!isObject(budget) || !isObject(stats)) return [];
  const usage = isObject(stats["usage"]) ? stats["usage"] : {};
  const count = (value: Json | undefined): number => numberOf(value) ?? 0;
  const used: { readonly [limit: string]: number } = {
    modelCalls: count(stats["modelCalls"]),
    toolCalls: count(stats["toolCalls"]),
    inputTokens: count(usage["inputTokens"]),
    outputTokens: count(usage["outputTokens"]),
    totalTokens: count(usage["inputTokens"]) + count(usage["outputTokens"]),
    cost: count(usage["cost"]),
    wallMs: Math.max(0, count(at) - count(stats["startedAt"])),
  };
  return Object.entries(budget).flatMap(([name, allowed]): readonly LimitFact[] => {
    const more = isObject(extended) ? count(extended[name]) : 0;
    const isLimit = typeof allowed === "number" && allowed > 0 && Object.hasOwn(used, name);
    return isLimit ? [{ name, allowed: allowed + more, used: used[name]! }] : [];
  });
}

/** The hooks that made the reply of the turn another one than the newest answer. */
function replyChangers({ outcome, messages }: JsonObject): readonly string[] {
  const reply = isObject(outcome) ? outcome["reply"] : undefined;
  const hooks = isObject(reply) ? namesOf(reply["changedBy"]) : [];
  if (!isObject(reply) || hooks.length === 0) return [];
  const answer = listOf(messages).findLast(({ role }) => role === "assistant");
  return answer && isSame(answer["content"], reply["content"]) ? [] : hooks;
}

const isList = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every(isObject));

/** The account of a call, if its parts have the shapes that are read. */
function accountIn(value: Json | undefined): CallAccount | undefined {
  if (!isObject(value)) return undefined;
  const { changed, decided, attempts, results, asked, ran } = value;
  const isKnown =
    [changed, decided, attempts, results, asked].every(isList) && (ran === undefined || isObject(ran));
  return isKnown ? (value as unknown as CallAccount) : undefined;
}
