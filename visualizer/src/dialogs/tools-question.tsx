import { Icon } from "../parts/icon.tsx";
import type { ForkPlan } from "../wire/types.ts";
import { t } from "../words/t.ts";

/** The answer: calls have recorded results, or tools really run. */
export type ToolsChoice = "recorded" | "live";

type Props = {
  readonly agent: NonNullable<ForkPlan["agent"]>;
  readonly chosen: ToolsChoice | undefined;
  readonly onChoose: (choice: ToolsChoice) => void;
};

/** Asks whether the tools of a fork repeat what is recorded or really run, and names each that would have an effect. */
export function ToolsQuestion({ agent: { acting, hooks }, chosen, onChoose }: Props) {
  const mayRepeat = hooks !== undefined;
  const choice = (value: ToolsChoice, label: string, note: string, isDisabled = false) => (
    <label className="check">
      <input
        type="radio"
        name="tools"
        value={value}
        required
        checked={chosen === value}
        disabled={isDisabled}
        onChange={() => onChoose(value)}
      />{" "}
      <span>
        <strong>{label}</strong> <span className="note">{note}</span>
      </span>
    </label>
  );
  return (
    <fieldset className="tools-question" data-testid="tools-question">
      <legend>{t("The model is asked again. What do its tools do?")}</legend>
      {choice(
        "recorded",
        t("Repeat recorded results"),
        mayRepeat
          ? t("No tool runs. A call that is not recorded waits for a result.")
          : t("The process of this run cannot do that."),
        !mayRepeat,
      )}
      {choice("live", t("Really run"), effectsOf(acting))}
      {hooks !== undefined && hooks.length > 0 && (
        <p className="note">{t`Hooks run either way: ${hooks.join(", ")}.`}</p>
      )}
    </fieldset>
  );
}

/** The calls that the original made after the place of the fork, each with whether it would have an effect. */
export function WillRun({
  plan,
  tools,
}: {
  readonly plan: ForkPlan | undefined;
  readonly tools: ToolsChoice | undefined;
}) {
  if (!plan) return <p className="note">{t("Checking which calls run again …")}</p>;
  const { willRun, agent } = plan;
  if (willRun.length === 0) return <p className="note">{t("No earlier call runs again.")}</p>;
  const acts = (call: string): boolean => agent?.acting?.some((name) => call.startsWith(`${name} `)) ?? false;
  return (
    <div className="will-run" data-testid="will-run">
      <p>
        <Icon name="warn" />{" "}
        {tools === "recorded"
          ? t("If the fork makes these calls again, they have their recorded results:")
          : t("These calls may run again in the fork:")}
      </p>
      <ul className="mono">
        {willRun.map((one) => (
          <li key={one}>
            {one}
            {tools !== "recorded" && acts(one) && (
              <>
                {" "}
                <span className="badge">{t("acts each time")}</span>
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function effectsOf(acting: readonly string[] | undefined): string {
  if (acting === undefined) return t("Which of them act each time is not known.");
  if (acting.length === 0) return t("All of them may run again without harm (idempotent).");
  return t`Act each time they run: ${acting.join(", ")}.`;
}
