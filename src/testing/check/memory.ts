import type { ToolInput } from "../../../machines/agent/services.ts";
import type { CallRecord } from "../../../machines/agent/call-record.ts";
import type { AgentContext } from "../../../machines/agent/context.ts";
import { toolResultsOf } from "../../core/message/msg.ts";
import type { ToolResultBlock } from "../../core/message/types.ts";
import { asksWho, isJudged, type RuleData } from "../../core/tool/rules/law.ts";
import type { Letters } from "../explorer/desk.ts";
import { isSettled, personKey } from "../explorer/desk-key.ts";
import type { Move } from "../explorer/move.ts";
import { servicesOf, type AgentSnapshot, type Step } from "../explorer/pure.ts";
import { startedOf } from "../explorer/transition.ts";
import { brokenBy, runsKey, type Consent, type Run } from "./what-ran.ts";

/** The events on the way to a state, as the world saw them. */
export type Ledger = {
  readonly runs: readonly Run[];
  /** The values that were read in the arguments of each call that a review has allowed. */
  readonly letters: { readonly [callId: string]: Letters };
  /** The decisions of people, until a review has seen them. */
  readonly decided: {
    readonly [callId: string]: { readonly as: string; readonly by: string; readonly told: readonly string[] };
  };
  readonly consents: { readonly [callId: string]: Consent };
  /** The problems with the calls that began in the last step. */
  readonly broken: readonly { readonly rule: string; readonly message: string }[];
  /** The tools whose calls began in the last step, and whether a person has approved each. */
  readonly began: readonly { readonly name: string; readonly isApproved: boolean }[];
};

export const NOTHING: Ledger = {
  runs: [],
  letters: {},
  decided: {},
  consents: {},
  broken: [],
  began: [],
};

/** The calls that an agent inside of a tool may make, by the name of the tool. */
export type Inside = {
  readonly [tool: string]: readonly { readonly name: string; readonly letters: Letters }[];
};

/** Notes what a person has decided about a call, and of which rules that person was told. */
function withDecision(ledger: Ledger, { meaning }: Move, before: AgentSnapshot): Ledger {
  const { callId, as, by } = meaning!.decided!;
  const record = before.context.calls.find(({ call }) => call.id === callId);
  const told = record?.rules?.asked ?? [];
  const runs =
    as === "retry"
      ? ledger.runs.map((run) =>
          run.callId === callId && run.is === "maybe" ? { ...run, isFixed: true as const } : run,
        )
      : ledger.runs;
  return { ...ledger, runs, decided: { ...ledger.decided, [callId]: { as, by, told } } };
}

const isApproving = (as: string | undefined): boolean =>
  as === "approve" || as === "edit" || as === "approve and remember";

/** Notes what a review has allowed: an approval lasts as long as a call is only repeated. */
function withReview(ledger: Ledger, letters: { readonly [callId: string]: Letters }): Ledger {
  const consents = { ...ledger.consents };
  const decided = { ...ledger.decided };
  for (const callId of Object.keys(letters)) {
    const { as, by, told = [] } = decided[callId] ?? {};
    const known = consents[callId];
    delete decided[callId];
    if (as === "retry") continue;
    if (isApproving(as))
      consents[callId] = { approver: by!, waived: [...new Set([...(known?.waived ?? []), ...told])] };
    else delete consents[callId];
  }
  return { ...ledger, consents, decided, letters: { ...ledger.letters, ...letters } };
}

const changed = (runs: readonly Run[], callId: string, to: (run: Run) => readonly Run[]): readonly Run[] =>
  runs.flatMap((run) => (run.callId === callId && !run.isFixed ? to(run) : [run]));

/** Notes what a tool said of its call. */
function withResult(ledger: Ledger, { meaning, events }: Move, at: number, turn: number): Ledger {
  const { output } = events[0] as {
    readonly output?: { readonly callId?: string; readonly suspension?: object };
  };
  const callId = output?.callId;
  if (callId === undefined) return ledger;
  const isSuccess = meaning?.result?.state === "success";
  const isNothing = (meaning?.result !== undefined && !isSuccess) || output?.suspension !== undefined;
  const runs = changed(ledger.runs, callId, (run) => {
    if (run.is !== "running") return [run];
    if (isSuccess) return [{ ...run, is: "success", at }];
    if (isNothing && !run.wasMaybe) return [];
    return [{ ...run, is: "maybe", at }];
  });
  const isTold = meaning?.inner !== undefined; // all that was done inside, in earlier attempts too
  const inner = (meaning?.inner ?? []).map(({ name, letters, is }, index): Run => ({
    callId: `${callId}/${index + 1}`,
    name,
    letters,
    is,
    at,
    turn,
  }));
  const others = isTold ? runs.filter((run) => run.callId !== `${callId}/?`) : runs;
  return { ...ledger, runs: [...others, ...inner] };
}

/** The result of a call of the newest batch, in its record or already in the transcript. */
function resultOf({ calls, transcript }: AgentContext, callId: string): ToolResultBlock | undefined {
  const { result } = calls.find(({ call }) => call.id === callId) ?? {};
  if (result !== undefined) return result;
  for (let index = transcript.length - 1; index >= 0; index--) {
    const found = toolResultsOf(transcript.at(index)!).find(({ id }) => id === callId);
    if (found) return found;
  }
  return undefined;
}

/** Notes the calls whose services are gone without a word, and the answers that were given in the place of suspended ones and of those cut off. */
function withLost(ledger: Ledger, before: AgentSnapshot, after: Step, inside: Inside): Ledger {
  const { context } = after.snapshot;
  const alive = new Set(
    servicesOf(after.snapshot).flatMap(({ src, input }) =>
      src === "runTool" ? [(input as ToolInput).call.id] : [],
    ),
  );
  const { at, progress } = context;
  const runs = ledger.runs.flatMap((run): readonly Run[] => {
    if (run.is !== "running" || alive.has(run.callId)) return [run];
    const lost = { ...run, is: "maybe", at } as const;
    return [lost, ...insideOf(lost, inside, progress.turn)];
  });
  const given = before.context.calls.flatMap((record): readonly Run[] => {
    const { status, decided } = record;
    const isWaiting =
      status === "suspended" || status === "unknown" || (typeof decided === "object" && "answer" in decided);
    if (!isWaiting || record.result || record.attempt === 0) return [];
    const result = resultOf(context, record.call.id);
    const { letters } = ledger;
    if (result?.state !== "success") return [];
    const { id, name } = record.call;
    return [{ callId: id, name, letters: letters[id] ?? {}, is: "answered", at, turn: progress.turn }];
  });
  return { ...ledger, runs: [...runs, ...given] };
}

/** Judges the calls that begin, one after the other, and notes them. */
function withStarts(ledger: Ledger, after: Step, rules: readonly RuleData[], inside: Inside): Ledger {
  const { at, progress } = after.snapshot.context;
  const { turn } = progress;
  let { runs } = ledger;
  const broken: Ledger["broken"][number][] = [];
  const began: Ledger["began"][number][] = [];
  for (const { input } of startedOf(after, "runTool")) {
    const { call, resumed } = input as ToolInput;
    const { id, name } = call;
    const letters = ledger.letters[id] ?? {};
    const consent = ledger.consents[id] ?? {};
    const about = { callId: id, name, letters };
    for (const rule of rules) {
      const why = brokenBy(rule, about, { runs: withInside(runs, inside, turn), consent, at, turn });
      if (why !== undefined)
        broken.push({ rule: rule.name, message: `\`${name}\` (${id}) begins to run, but ${why}` });
    }
    began.push({ name, isApproved: consent.approver !== undefined });
    const earlier = runs.find((run) => run.callId === id && !run.isFixed && run.is === "maybe");
    const run: Run = { ...about, is: "running", at, turn, ...(earlier && { wasMaybe: true as const }) };
    if (!resumed || !runs.some((each) => each.callId === id && each.is === "running"))
      runs = [...runs.filter((each) => each !== earlier), run];
  }
  return { ...ledger, runs, broken, began };
}

/** Returns what a call may have made that an agent inside of its tool makes. */
const insideOf = ({ callId, name: tool, is, at }: Run, inside: Inside, turn: number): readonly Run[] =>
  (inside[tool] ?? []).map(({ name, letters }) => ({ callId: `${callId}/?`, name, letters, is, at, turn }));

/** While an agent inside of a call runs, any of its calls may be running. */
function withInside(runs: readonly Run[], inside: Inside, turn: number): readonly Run[] {
  return runs.flatMap((run) => (run.is === "running" ? [run, ...insideOf(run, inside, turn)] : [run]));
}

/** Returns what is to be remembered after `move` has led to `after`. */
export function remembered(
  ledger: Ledger,
  move: Move,
  after: Step,
  before: AgentSnapshot,
  rules: readonly RuleData[],
  inside: Inside,
): Ledger {
  const { meaning = {}, kind } = move;
  const { at, progress } = after.snapshot.context;
  if (kind !== "crash" && after.refused !== undefined) return { ...ledger, broken: [], began: [] };
  let now = ledger;
  if (meaning.decided) now = withDecision(now, move, before);
  if (meaning.letters) now = withReview(now, meaning.letters);
  if (kind === "service") now = withResult(now, move, at, progress.turn);
  now = withLost(now, before, after, inside);
  return withStarts(now, after, rules, inside);
}

/** Returns what a rule can tell of the words of people about a call that may still begin. That is nothing, if it does not ask for an approval
 *  of such a call, and nobody has waived it. */
function consentKey({ name, law }: RuleData, { consents, decided }: Ledger, { call }: CallRecord): string {
  const { approver, waived = [] } = consents[call.id] ?? {};
  const { as, by, told = [] } = decided[call.id] ?? {};
  const isAbout = asksWho(law) && isJudged(law, call.name);
  const isWaived = waived.includes(name);
  if (!isAbout && !isWaived && !told.includes(name)) return "";
  const has = isAbout ? personKey(law, approver) : `${isWaived}`;
  if (as === undefined || as === "retry") return `${has} ${as ? has : ""}`;
  if (!isApproving(as)) return `${has} ends`;
  return `${has} ${isAbout ? personKey(law, by) : isWaived || told.includes(name)}`;
}

/** Returns all of the ledger that a rule may read, as a text. */
export function ledgerKey(
  ledger: Ledger,
  { snapshot: { context } }: Step,
  rules: readonly RuleData[],
): string {
  const { calls, at, progress } = context;
  const open = calls.map((record) => (isSettled(record) ? "" : record.call.id));
  const unsettled = calls.filter((record) => !isSettled(record));
  const said = rules.map((rule) => unsettled.map((record) => consentKey(rule, ledger, record)).join());
  const ran = rules.map((rule) => runsKey(rule, ledger.runs, at, progress.turn, open));
  return `${said.join("/")} ${ran.join("/")}`;
}

/** Returns the ledger with all that people have said about the calls of the batch, whether a rule may read it or not, as a text. */
export function wholeLedgerKey(
  ledger: Ledger,
  { snapshot: { context } }: Step,
  rules: readonly RuleData[],
): string {
  const { calls, at, progress } = context;
  const open = calls.map(({ call }) => call.id);
  const people = open.map((id) => JSON.stringify([ledger.consents[id], ledger.decided[id]]));
  const ran = rules.map((rule) => runsKey(rule, ledger.runs, at, progress.turn, open));
  return `${people.join()} ${ran.join("/")}`;
}
