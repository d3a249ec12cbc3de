import { useEffect, useState } from "react";
import type { AgentSession } from "agentchart/react";
import { Icon } from "../parts/icon.tsx";
import { useLanguage } from "../words/language.tsx";

type Plan = NonNullable<AgentSession["plan"]>;
/** As in the style sheet. */
const WIDE = "(min-width: 75rem)";

/** The plan that is followed, else the one that was finished last. */
function planOf({ plan, slots }: Pick<AgentSession, "plan" | "slots">): Plan | undefined {
  if (plan) return plan;
  const past = slots["plan.history"] as unknown as readonly Plan[] | undefined;
  return past?.at(-1);
}

/** The plan of the clerk and what the case has used: beside the conversation, or above it in a narrow window. */
export function Details(props: Pick<AgentSession, "plan" | "slots" | "usage">) {
  const { words } = useLanguage();
  const isWide = useMedia(WIDE);
  const [isOpen, setOpen] = useState(false);
  const plan = planOf(props);
  const done = plan?.subtasks.filter(({ state }) => state === "done").length ?? 0;
  return (
    <section className="details" aria-label={words.case.details}>
      <details
        open={isWide || isOpen}
        onToggle={({ currentTarget }) => !isWide && setOpen(currentTarget.open)}
      >
        <summary>
          <Icon name="open" />
          {words.case.details}
          {plan && <span className="muted">{words.plan.progress(done, plan.subtasks.length)}</span>}
        </summary>
        <PlanOf plan={plan} done={done} />
        <UsageOf {...props.usage} />
      </details>
    </section>
  );
}

function PlanOf({ plan, done }: { readonly plan: Plan | undefined; readonly done: number }) {
  const { words } = useLanguage();
  return (
    <section className="plan" aria-labelledby="plan-title">
      <h3 id="plan-title">{words.plan.title}</h3>
      {plan ? (
        <>
          <p>{plan.name}</p>
          <progress max={plan.subtasks.length} value={done} aria-labelledby="plan-progress" />
          <p id="plan-progress" className="muted">
            {words.plan.progress(done, plan.subtasks.length)}
          </p>
          <ol>
            {plan.subtasks.map(({ name, state, outcome }, index) => (
              <li key={index} data-state={state}>
                <span className="step-name">{name}</span>
                <span className="step-state">{words.plan.states[state]}</span>
                {outcome !== null && <span className="step-outcome">{outcome}</span>}
              </li>
            ))}
          </ol>
        </>
      ) : (
        <p className="muted">{words.plan.none}</p>
      )}
    </section>
  );
}

function UsageOf({ inputTokens, outputTokens, cost, estimated }: AgentSession["usage"]) {
  const { words, format } = useLanguage();
  return (
    <section className="usage" aria-labelledby="usage-title">
      <h3 id="usage-title">{words.usage.title}</h3>
      <dl className="fields">
        <div>
          <dt>{words.usage.input}</dt>
          <dd>{inputTokens === undefined ? words.nothing : format.count(inputTokens)}</dd>
        </div>
        <div>
          <dt>{words.usage.output}</dt>
          <dd>{outputTokens === undefined ? words.nothing : format.count(outputTokens)}</dd>
        </div>
        <div>
          <dt>{words.usage.cost}</dt>
          <dd>{cost === undefined ? words.nothing : format.dollars(cost)}</dd>
        </div>
      </dl>
      <p className="muted">
        {words.usage.note} {estimated && words.usage.estimated}
      </p>
    </section>
  );
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const media = matchMedia(query);
    const change = (): void => setMatches(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, [query]);
  return matches;
}
