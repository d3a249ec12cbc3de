import { MissingStep } from "../parts/missing-step.tsx";
import { useStep } from "../panels/use-step.ts";
import { useModel } from "../store/use-model.ts";
import { ruleMarks, ruleRows } from "./rule-rows.ts";
import { TryRule } from "./try-rule.tsx";
import { t } from "../words/t.ts";

/** Shows what the rules of the run remember after the displayed step, and what they did to calls until then; tries another rule. */
export function RulesTab() {
  const runId = useModel((all) => all.selection.runId);
  return <RulesOfRun key={runId} />;
}

function RulesOfRun() {
  const { stepNumber, context } = useStep();
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  const rows = ruleRows(context);
  const marks = ruleMarks(context);
  return (
    <div className="rules">
      <h2>{t("Rules at this step")}</h2>
      {rows.length === 0 && <p className="is-minor">{t("The agent has no rules.")}</p>}
      <ul>
        {rows.map(({ name, lines }) => (
          <li key={name} data-rule={name}>
            <strong>{name}</strong>
            {lines.length === 0 && <p className="is-minor">{t("remembers nothing yet")}</p>}
            {lines.map((line, place) => (
              <p key={place} className="is-minor">
                {line}
              </p>
            ))}
          </li>
        ))}
      </ul>
      {marks.length > 0 && (
        <>
          <h2>{t("What they did")}</h2>
          <ul>
            {marks.map(({ callId, tool, rule, did }, place) => (
              <li key={place} data-marked={callId}>
                {did} <code>{tool}</code>{" "}
                <span className="is-minor">
                  {t("by the rule “")}
                  {rule}”
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <TryRule />
    </div>
  );
}
