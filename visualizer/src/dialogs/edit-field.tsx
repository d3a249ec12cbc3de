import type { Edit } from "../logic/fork-edits.ts";
import { Button } from "../parts/button.tsx";
import type { ForkPlan } from "../wire/types.ts";
import { HiddenCharacters } from "./hidden-characters.tsx";
import { t } from "../words/t.ts";

type Props = {
  readonly edit: Edit;
  readonly plan: ForkPlan | undefined;
  readonly onChange: (now: string) => void;
  readonly onRemove: () => void;
};

/** One change of a fork: a field for its new value, and a button that takes it back. */
export function EditField({ edit, plan, onChange, onRemove }: Props) {
  const { key, label, kind, now, value } = edit;
  const isLong = kind !== "model" && kind !== "tools";
  return (
    <fieldset className="edit-field" data-edit={key}>
      <legend>
        {label} {now !== value && <span className="badge">{t("changed")}</span>}
      </legend>
      {isLong && (
        <textarea
          className={kind === "arguments" || kind === "options" ? "input mono" : "input"}
          rows={Math.min(10, Math.max(3, now.split("\n").length))}
          aria-label={t`New ${label}`}
          value={now}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
      {kind === "model" && (
        <>
          <input
            className="input mono"
            list="fork-models"
            aria-label={t("New model")}
            value={now}
            onChange={({ target }) => onChange(target.value)}
          />
          <datalist id="fork-models">
            {plan?.agent?.models.map((name) => (
              <option key={name} value={name} />
            ))}
          </datalist>
          {plan?.agent?.hasOthers === false && (
            <p className="note">
              {t("This agent has")}{" "}
              {plan.agent.models.length === 0 ? t("no other model") : plan.agent.models.join(", ")}.
            </p>
          )}
        </>
      )}
      {kind === "tools" && <Tools names={value.split("\n")} left={now.split("\n")} onChange={onChange} />}
      {isLong && <HiddenCharacters text={now} />}
      <Button tone="quiet" label={t("Take this change back")} onClick={onRemove} />
    </fieldset>
  );
}

function Tools({
  names,
  left,
  onChange,
}: {
  readonly names: readonly string[];
  readonly left: readonly string[];
  readonly onChange: (now: string) => void;
}) {
  return (
    <div className="checks">
      {names.map((name) => (
        <label key={name} className="check mono">
          <input
            type="checkbox"
            checked={left.includes(name)}
            onChange={({ target }) =>
              onChange(
                names.filter((each) => (each === name ? target.checked : left.includes(each))).join("\n"),
              )
            }
          />
          {name}
        </label>
      ))}
    </div>
  );
}
