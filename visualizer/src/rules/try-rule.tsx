import { useRef, useState, type FormEvent } from "react";
import { Button } from "../parts/button.tsx";
import { model } from "../store/model.ts";
import { goTo } from "../store/navigate.ts";
import type { Trial, TrialFinding, TriedRule } from "../wire/types.ts";
import { EMPTY, readRule, type RuleFields } from "./read-rule.ts";
import { tryOn } from "./try-on.ts";
import { t } from "../words/t.ts";

const KINDS: { readonly [kind in TriedRule["kind"]]: string } = {
  before: t("only after"),
  never: t("never after"),
  atMost: t("at most so many"),
  sum: t("a sum at most"),
  approvedBy: t("approved by"),
};

const WHAT: { readonly [what in TrialFinding["what"]]: string } = {
  broke: t("would have been stopped"),
  ordered: t("would have waited for others of its batch"),
  unjudged: t("cannot be judged"),
};

type Set = (change: Partial<RuleFields>) => void;

/** Tries a rule on the calls of the run, before anybody enforces it. */
export function TryRule() {
  const [fields, setFields] = useState(EMPTY);
  const [problem, setProblem] = useState<string>();
  const [trial, setTrial] = useState<Trial>();
  const tried = useRef<object>(null);
  const set: Set = (change) => {
    tried.current = null;
    setFields((all) => ({ ...all, ...change }));
    setTrial(undefined);
    setProblem(undefined);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const rule = readRule(fields);
    const { runId } = model.selection;
    if (typeof rule === "string") return setProblem(rule);
    if (runId === null) return;
    tried.current = rule;
    const ifCurrent = (act: () => void): void => void (tried.current === rule && act()); // else it was changed meanwhile
    tryOn(runId, rule).then(
      (trial) => ifCurrent(() => setTrial(trial)),
      (error: unknown) => ifCurrent(() => setProblem(String(error))),
    );
  };
  return (
    <form onSubmit={submit} aria-label={t("Try a rule")}>
      <h2>{t("Try a rule on this run")}</h2>
      <Fields fields={fields} set={set} />
      <Button
        type="submit"
        label={t("Try")}
        title={t("Says which calls of this run the rule would have stopped")}
      />
      <div role="status">
        {problem !== undefined && <p className="problem">{problem}</p>}
        {trial && <Findings trial={trial} />}
      </div>
    </form>
  );
}

function Fields({ fields, set }: { readonly fields: RuleFields; readonly set: Set }) {
  const { kind } = fields;
  const hasFirst = kind === "before" || kind === "never";
  return (
    <div className="fields">
      <Field label={t("Tool")} value={fields.then} onChange={(then) => set({ then })} hint="refund" />
      <label>
        {t("runs")}
        <select
          className="input"
          value={kind}
          onChange={(event) => set({ kind: event.currentTarget.value as TriedRule["kind"] })}
        >
          {Object.entries(KINDS).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {hasFirst && (
        <Field
          label={t("of the tool")}
          value={fields.first}
          onChange={(first) => set({ first })}
          hint="verify"
        />
      )}
      {(kind === "atMost" || kind === "sum") && (
        <Field label={t("Maximum")} value={fields.max} onChange={(max) => set({ max })} />
      )}
      {kind === "sum" && (
        <Field
          label={t("of the argument")}
          value={fields.amount}
          onChange={(amount) => set({ amount })}
          hint="cents"
        />
      )}
      {kind === "approvedBy" && (
        <Field
          label={t("People")}
          value={fields.people}
          onChange={(people) => set({ people })}
          hint="ana, ben"
        />
      )}
      {kind !== "approvedBy" && (
        <>
          <Field
            label={t("Per argument")}
            value={fields.per}
            onChange={(per) => set({ per })}
            hint="orderId"
          />
          <Field
            label={t("Within")}
            value={fields.within}
            onChange={(within) => set({ within })}
            hint="24h"
          />
          <label>
            <input
              type="checkbox"
              checked={fields.scope === "turn"}
              onChange={(event) => set({ scope: event.currentTarget.checked ? "turn" : "session" })}
            />{" "}
            {t("in one turn")}
          </label>
        </>
      )}
    </div>
  );
}

function Field({
  label,
  value,
  hint,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly onChange: (value: string) => void;
}) {
  return (
    <label>
      {label}
      <input
        className="input"
        value={value}
        placeholder={hint}
        spellCheck={false}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function Findings({ trial: { findings, from, upTo } }: { readonly trial: Trial }) {
  return (
    <>
      <p>
        {findings.length === 0 ? t("It stops no call") : t`${findings.length} of the calls`}{" "}
        {t("of the steps")} {from} {t("to")} {upTo}.
      </p>
      <ul>
        {findings.map(({ what, tool, callId, step }) => (
          <li key={`${callId} ${what}`} data-finding={what}>
            <button type="button" className="link" onClick={() => goTo(step)}>
              #{step}
            </button>{" "}
            <code>{tool}</code> {WHAT[what]}
          </li>
        ))}
      </ul>
    </>
  );
}
