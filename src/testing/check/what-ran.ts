// src/testing/check proves rules about an agent before it runs: it walks all that models, tools, people and crashes can make of it.
import type { Law, Letter, RuleData } from "../../core/tool/rules/law.ts";
import { asksWho, isCounted } from "../../core/tool/rules/law.ts";
import { matchesName } from "../../core/tool/name-pattern.ts";
import type { Letters } from "../explorer/desk.ts";
import { ageOf, letterKey } from "../explorer/rules-key.ts";

/** An execution of a tool, as the world saw it, whatever the chart has made of it. */
export type Run = {
  readonly callId: string;
  readonly name: string;
  readonly letters: Letters;
  /** `maybe`: it was cut off, and may have taken effect. `answered`: somebody gave a result in its place. */
  readonly is: "running" | "success" | "maybe" | "answered";
  /** An earlier attempt of it may have taken effect. */
  readonly wasMaybe?: true;
  /** A person has let the call run again after it: what follows counts beside it. */
  readonly isFixed?: true;
  readonly at: number;
  readonly turn: number;
};

/** A call that is about to run, or a run, without a letter where nothing is read. */
type About = { readonly callId: string; readonly name: string; readonly letters: Letters };

/** Who has approved a call, and which rules that person was told of and waived. */
export type Consent = { readonly approver?: string; readonly waived?: readonly string[] };

/** All that a rule asks of the past of a call that begins to run. */
export type Past = {
  readonly runs: readonly Run[];
  readonly consent: Consent;
  readonly at: number;
  readonly turn: number;
};

const includes = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) => matchesName(pattern, name));

const partLetter = (letter: Letter | undefined, index: number): Letter | undefined =>
  letter?.problem === undefined ? letter?.of?.[index] : letter;

type Reader = (of: About) => Letter | undefined;

/** Says why a law forbids a call to begin, read off its sentence and not off its automaton; undefined if it does not. */
function offence(law: Law, call: About, past: Past, letterOf: Reader): string | undefined {
  if (law.kind === "any") {
    const judged = law.of.flatMap((part, index) =>
      part.kind === "any" || includes(part.then, call.name)
        ? [offence(part, call, past, (of) => partLetter(letterOf(of), index))]
        : [],
    );
    return judged.length === 0 || judged.includes(undefined) ? undefined : judged.join("; and ");
  }
  const letter = letterOf(call);
  if (!includes(law.then, call.name) || letter?.isOther) return undefined;
  if (letter?.problem !== undefined) return "nobody could read what it is about";
  const { at } = past;
  const within = "within" in law ? (law.within ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
  const key = letter?.key ?? "";
  const matter = past.runs.filter((run) => {
    const read = letterOf(run);
    if (at - run.at > within || read?.isVoid || read?.problem !== undefined) return false;
    return (read?.key ?? "") === key;
  });
  switch (law.kind) {
    case "approved":
      return law.by.includes(past.consent.approver ?? "")
        ? undefined
        : `${past.consent.approver ? `${past.consent.approver} has` : "nobody has"} approved it`;
    case "before": {
      const has = matter.some(
        ({ name, is }) =>
          includes(law.first, name) && (is === "success" || (is === "answered" && law.answers === true)),
      );
      return has ? undefined : `${law.first.join(" or ")} has not succeeded`;
    }
    case "never": {
      const run = matter.find(
        ({ name, is, callId }) => includes(law.after, name) && is !== "answered" && callId !== call.callId,
      );
      return run && `${run.name} ${said(run)}`;
    }
    case "limit": {
      const counted = matter.filter(
        (run) =>
          includes(law.then, run.name) &&
          run.is !== "answered" &&
          !letterOf(run)?.isOther &&
          (run.callId !== call.callId || run.isFixed === true),
      );
      const sum = counted.reduce((total, run) => total + (letterOf(run)?.amount ?? 1), letter?.amount ?? 1);
      if (sum <= law.max) return undefined;
      const others = counted.map((run) => `${run.callId} ${said(run)}`).join(", ");
      return others === "" ? `it alone comes to ${sum}` : `${others}: with it that is ${sum}`;
    }
    case "if": {
      const bits = law.knows.reduce(
        (all, known, index) =>
          past.runs.some(({ name, is }) => is === "success" && matchesName(known, name))
            ? all | (1 << index)
            : all,
        0,
      );
      return ((letter?.table ?? 0) & (1 << bits)) === 0 ? "its predicate says no" : undefined;
    }
  }
}

const said = ({ is }: Run): string =>
  is === "running" ? "is running" : is === "success" ? "has succeeded" : "may have taken effect";

/** Says why a rule forbids a call to begin; undefined if it does not. */
export function brokenBy(rule: RuleData, call: About, past: Past): string | undefined {
  const { law, name, scope } = rule;
  if (past.consent.waived?.includes(name) && !asksWho(law)) return undefined;
  const runs = scope === "turn" ? past.runs.filter(({ turn }) => turn === past.turn) : past.runs;
  return offence(law, call, { ...past, runs }, ({ letters }) => letters[name]);
}

/** Returns the part of what ran that may ever matter to a rule, as a text: the key of a state holds it. */
export function runsKey(
  rule: RuleData,
  runs: readonly Run[],
  at: number,
  turn: number,
  open: readonly string[],
): string {
  const { law, name, scope } = rule;
  const keys = runs.flatMap((run): string[] => {
    if (!isCounted(law, run.name) || (scope === "turn" && run.turn !== turn)) return [];
    const letter = run.letters[name];
    const place = open.indexOf(run.callId);
    const flags = place < 0 && run.is !== "running" ? endOf(law, run, letter) : openFlags(run, place);
    if (flags === undefined) return [];
    const named = law.kind === "if" || law.kind === "any" ? run.name : "";
    return [`${flags}${named}${letterKey(letter)}${hasWindow(law) ? ageOf(run.at, at) : ""}`];
  });
  const isSum = law.kind === "limit" || law.kind === "any";
  return (isSum ? keys : [...new Set(keys)]).toSorted().join();
}

const openFlags = ({ is, wasMaybe, isFixed }: Run, place: number): string =>
  `${place}${is}${wasMaybe ? "m" : ""}${isFixed ? "f" : ""}`;

/** The meaning of a run that is over to a law; undefined if it has none. */
function endOf(law: Law, { is }: Run, letter: Letter | undefined): string | undefined {
  if (law.kind === "any") return is;
  if (letter?.isVoid || letter?.problem !== undefined) return undefined;
  switch (law.kind) {
    case "before":
      return is === "success" || (is === "answered" && law.answers) ? "s" : undefined;
    case "if":
      return is === "success" ? "s" : undefined;
    case "approved":
      return undefined;
    case "never":
      return is === "answered" ? undefined : "x";
    case "limit":
      return is === "answered" || letter?.isOther ? undefined : "x";
  }
}

const hasWindow = (law: Law): boolean =>
  law.kind === "any" ? law.of.some(hasWindow) : "within" in law && law.within !== undefined;
