import { isSame, isObject, type Json } from "../../core/base/json.ts";
import type { Decision } from "../../core/tool/pending.ts";
import { notesOf, type LifeNote, type NotedCall } from "./ledger.ts";
import type { Run } from "./run-point.ts";
import { withoutOwn } from "./transcript.ts";
import type { CrashFindingKind, CrashPoint } from "./types.ts";

/** Something that one run did otherwise than the run without a kill. */
export type Fault = { readonly kind: CrashFindingKind; readonly message: string; readonly subject?: string };

/** The run without a kill, and which of its lines differ by themselves from run to run. */
export type Baseline = {
  readonly run: Run;
  readonly transcript: readonly string[];
  readonly effects: Json | undefined;
  /** The indexes of the lines of the transcript that vary; undefined if runs have different numbers of lines. */
  readonly varying: ReadonlySet<number> | undefined;
  /** True if the effects vary: they are not compared then. */
  readonly hasVaryingEffects: boolean;
};

const key = ({ name, input }: { readonly name: string; readonly input: Json }): string =>
  JSON.stringify([name, input]);
const short = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing");
  return text.length > 160 ? `${text.slice(0, 160)}…` : text;
};
const doneOf = (run: Run) => notesOf(run.notes, "done").at(-1);

/** The effects of a run, without what differs from run to run by itself. */
export function effectsOf(run: Run): Json | undefined {
  const effects = doneOf(run)?.effects;
  if (effects === undefined) return undefined;
  return JSON.parse(
    withoutOwn(JSON.stringify(effects), { sessionId: run.sessionId, folder: run.runFolder }),
  ) as Json;
}

/** Compares two runs without a kill. */
export function baselineOf(run: Run, second: Run): Baseline {
  const [transcript, other] = [run, second].map((each) => doneOf(each)?.transcript ?? []) as [
    readonly string[],
    readonly string[],
  ];
  const varying =
    transcript.length === other.length
      ? new Set(transcript.flatMap((line, index) => (line === other[index] ? [] : [index])))
      : undefined;
  const effects = effectsOf(run);
  return { run, transcript, effects, varying, hasVaryingEffects: !isSame(effects, effectsOf(second)) };
}

/** Adds another run without a kill: what differs in it varies by itself, too, such as a time in seconds. */
export function widened(baseline: Baseline, third: Run): Baseline {
  const { varying, hasVaryingEffects } = baselineOf(baseline.run, third);
  return {
    ...baseline,
    varying: varying && baseline.varying && new Set([...baseline.varying, ...varying]),
    hasVaryingEffects: baseline.hasVaryingEffects || hasVaryingEffects,
  };
}

/** True for a fault that is only a difference, which is not a fault if the runs differ by themselves. */
export const isDifference = ({ kind }: Fault): boolean =>
  kind === "result-changed" || kind === "effects-changed";

/** Returns what a run did otherwise than the run without a kill. */
export function faultsOf(baseline: Baseline, run: Run, point: CrashPoint): readonly Fault[] {
  if (run.state === "unreached" || run.state === "impossible") return [];
  const faults = [...leaseFaults(run, point), ...approvalFaults(baseline, run, point)];
  if (run.state === "endless")
    faults.push({ kind: "endless", message: "The turn does not end in the process that goes on." });
  else if (run.state === "done") faults.push(...resultFaults(baseline, run, point));
  else faults.push(failureOf(run));
  return [...effectFaults(baseline, run, point), ...faults];
}

function failureOf(run: Run): Fault {
  const last = notesOf(run.notes, "error").at(-1);
  if (!last || run.state === "died")
    return {
      kind: "failed",
      message: `The process that goes on ends without a result: ${short(run.errors)}`,
    };
  const { code, message } = last.error;
  const isOpening = code.startsWith("session/") && notesOf(run.notes, "opened").length === 0;
  return isOpening
    ? { kind: "cannot-open", subject: code, message: `The session cannot be opened: ${message}` }
    : { kind: "failed", subject: code, message: `The turn fails in the process that goes on: ${message}` };
}

/** The calls that came to their end, by tool and arguments. */
function endsOf(
  notes: readonly LifeNote[],
): Map<string, { tool: string; isIdempotent: boolean; keys: string[] }> {
  const ends = new Map<string, { tool: string; isIdempotent: boolean; keys: string[] }>();
  for (const end of notesOf(notes, "end")) {
    if (end.error !== undefined) continue;
    const id = key({ name: end.tool.replace(/_renamed$/, ""), input: end.input });
    const seen = ends.get(id) ?? { tool: end.tool, isIdempotent: end.isIdempotent, keys: [] };
    seen.keys.push(end.key);
    ends.set(id, seen);
  }
  return ends;
}

function effectFaults(baseline: Baseline, run: Run, point: CrashPoint): readonly Fault[] {
  if (point.how === "repeat") return repeatFaults(baseline, run, point);
  const faults: Fault[] = [];
  const before = endsOf(baseline.run.notes);
  for (const [id, { tool, isIdempotent, keys }] of endsOf(run.notes)) {
    const usual = before.get(id)?.keys.length ?? 0;
    const count = isIdempotent ? new Set(keys).size : keys.length;
    if (count <= Math.max(usual, 1)) continue;
    const what = isIdempotent ? "under another idempotency key" : "although it is not idempotent";
    faults.push({
      kind: "effect-twice",
      subject: tool,
      message: `${tool} ran ${count} times instead of ${Math.max(usual, 1)}, ${what}.`,
    });
  }
  const isComparable = point.release === undefined && run.state === "done" && !baseline.hasVaryingEffects;
  const effects = effectsOf(run);
  if (isComparable && !isSame(effects, baseline.effects))
    faults.push({
      kind: "effects-changed",
      message: `The effects are ${short(effects)} instead of ${short(baseline.effects)}.`,
    });
  return faults;
}

function repeatFaults(baseline: Baseline, run: Run, { instant: tool }: CrashPoint): readonly Fault[] {
  const begin = notesOf(run.notes, "begin").find((each) => each.tool === tool);
  if (!begin?.isIdempotent || baseline.hasVaryingEffects || run.state !== "done") return [];
  const effects = effectsOf(run);
  if (isSame(effects, baseline.effects)) return [];
  return [
    {
      kind: "not-idempotent",
      subject: tool,
      message: `${tool} is repeated after a crash, and acts twice under one idempotency key: the effects are ${short(effects)} instead of ${short(baseline.effects)}.`,
    },
  ];
}

function leaseFaults(run: Run, { how }: CrashPoint): readonly Fault[] {
  if (how !== "stop") return [];
  const faults: Fault[] = [];
  const taken = run.notes.findIndex(({ note, life }) => life === 2 && note === "lease");
  const isRefused = notesOf(run.notes, "refused").some(({ life }) => life === 2);
  if (taken >= 0 && !isRefused)
    faults.push({
      kind: "lease-ignored",
      subject: "open",
      message: "A second worker gets the session while the first one holds its lease.",
    });
  const late = run.notes
    .slice(taken + 1)
    .find((note) => note.life === 1 && note.note === "instant" && /^append:\d+:after$/.test(note.id));
  if (taken >= 0 && late)
    faults.push({
      kind: "lease-ignored",
      subject: "append",
      message: "The first worker still writes after a second one has taken the session over.",
    });
  return faults;
}

const wordOf = (decision: Decision): Json => {
  if (!isObject(decision)) return decision as string;
  return decision as Json;
};
const isApproval = (decision: Decision): boolean =>
  decision === "approve" || (isObject(decision) && ("approve" in decision || "edit" in decision));

function approvalFaults(baseline: Baseline, run: Run, { release }: CrashPoint): readonly Fault[] {
  const faults: Fault[] = [];
  const decided = new Map<string, Decision>();
  const isOwn = ({ waitsFor }: NotedCall): boolean => waitsFor !== "unknownOutcome";
  let shown: readonly NotedCall[] = [];
  let life = 1;
  for (const note of run.notes) {
    if (note.note === "pending") {
      const calls = note.calls.filter(isOwn);
      for (const call of calls) {
        const isLost = decided.has(call.callId) && call.decided === undefined && release === undefined;
        if (isLost)
          faults.push({
            kind: "approval-lost",
            subject: call.name,
            message: `The decision about ${call.name} was recorded, and is asked for again.`,
          });
        const before = shown.find((each) => key(each) === key(call));
        if (note.life > life && before && !calls.some(({ callId }) => callId === before.callId))
          faults.push({
            kind: "approval-renamed",
            subject: call.name,
            message: `The call of ${call.name} that waits was '${before.callId}', and is '${call.callId}' now.`,
          });
        if (call.decided !== undefined && !decided.has(call.callId)) decided.set(call.callId, call.decided);
      }
      shown = calls;
      life = note.life;
    } else if (note.note === "decided" && isOwn(note.call)) {
      decided.set(note.call.callId, note.decision);
      shown = shown.filter(({ callId }) => callId !== note.call.callId);
    }
  }
  return [...faults, ...otherDecisions(baseline, run), ...unasked(baseline, run, decided, release)];
}

/** Decisions about a call that are others than without a kill. */
function otherDecisions(baseline: Baseline, run: Run): readonly Fault[] {
  const of = (each: Run) =>
    notesOf(each.notes, "decided").filter(({ call }) => call.waitsFor !== "unknownOutcome");
  const before = of(baseline.run);
  return of(run).flatMap(({ call, decision }): readonly Fault[] => {
    const usual = before.filter((each) => key(each.call) === key(call));
    if (usual.length === 0 || usual.some((each) => isSame(wordOf(each.decision), wordOf(decision))))
      return [];
    return [
      {
        kind: "approval-mistaken",
        subject: call.name,
        message: `${call.name} ${short(call.input)} gets the decision ${short(decision)} instead of ${short(usual[0]!.decision)}.`,
      },
    ];
  });
}

/** Calls that ran without the approval that they need without a kill, and approved ones that never ran. */
function unasked(
  baseline: Baseline,
  run: Run,
  decided: ReadonlyMap<string, Decision>,
  release: CrashPoint["release"],
): readonly Fault[] {
  const approved = notesOf(baseline.run.notes, "decided").filter(
    ({ call, decision }) => call.waitsFor === "approval" && isApproval(decision),
  );
  const begins = notesOf(run.notes, "begin");
  const faults: Fault[] = [];
  for (const { call, decision } of approved) {
    const input = isObject(decision) && "edit" in decision ? decision.edit : call.input;
    const ran = begins.filter((begin) => begin.tool === call.name && isSame(begin.input, input));
    const isDecided = (callId: string): boolean =>
      [...decided].some(([id, each]) => (id === callId || id.endsWith(`/${callId}`)) && isApproval(each));
    if (ran.some(({ callId }) => !isDecided(callId)))
      faults.push({
        kind: "approval-mistaken",
        subject: call.name,
        message: `${call.name} ${short(input)} ran without its approval.`,
      });
    const isUsual = notesOf(baseline.run.notes, "begin").some(({ tool }) => tool === call.name);
    const isLost = isUsual && ran.length === 0 && run.state === "done" && decided.has(call.callId);
    if (isLost && release === undefined)
      faults.push({
        kind: "approval-lost",
        subject: call.name,
        message: `${call.name} ${short(input)} was approved and never ran.`,
      });
  }
  return faults;
}

type Line = { readonly role: string; readonly text: string };

function resultFaults(baseline: Baseline, run: Run, { release, how }: CrashPoint): readonly Fault[] {
  const lines = doneOf(run)?.transcript ?? [];
  const said = (all: readonly string[]): readonly string[] =>
    all.map((line) => JSON.parse(line) as Line).flatMap(({ role, text }) => (role === "user" ? [text] : []));
  const usual = said(baseline.transcript);
  const now = [...said(lines)];
  const lost = usual.filter((text) => {
    const at = now.indexOf(text);
    if (at >= 0) now.splice(at, 1);
    return at < 0;
  });
  if (lost.length > 0)
    return [{ kind: "lost-input", message: `The conversation lacks what the user said: ${short(lost[0])}` }];
  if (release !== undefined || how === "repeat" || !baseline.varying) return [];
  const { transcript, varying } = baseline;
  // What a take-over repeats is paid for twice: a turn that its budget ends anyway may end earlier.
  const isCutShort = [run, baseline.run].every((each) => doneOf(each)?.isOverBudget);
  const compared = isCutShort ? lines.length : Math.max(transcript.length, lines.length);
  for (let index = 0; index < compared; index++) {
    if (transcript[index] === lines[index] || varying.has(index)) continue;
    return [
      {
        kind: "result-changed",
        message: `Message ${index + 1} is ${short(shownLine(lines[index]))} instead of ${short(shownLine(transcript[index]))}.`,
      },
    ];
  }
  return [];
}

/** The line without what is empty. */
function shownLine(line: string | undefined): string {
  if (line === undefined) return "not there";
  const fields = Object.entries(JSON.parse(line) as object).filter(
    ([name, value]) => name !== "name" && value !== "" && !(Array.isArray(value) && value.length === 0),
  );
  return JSON.stringify(Object.fromEntries(fields));
}
