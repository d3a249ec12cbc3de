import { lazy, Suspense, useEffect, type ComponentType, type KeyboardEvent } from "react";
import { TAB_NAMES, TABS, model, type Model, type Tab } from "../store/model.ts";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { useDisplayed } from "../store/displayed-step.ts";
import { useModel } from "../store/use-model.ts";
import { Conversation } from "../conversation/conversation.tsx";
import { mayHavePlan } from "../logic/plan.ts";
import { mayHaveRules } from "../logic/may-have-rules.ts";
import { t } from "../words/t.ts";

/** Loaded when it is opened. */
const Pending = lazy(async () => ({ default: (await import("../pending/pending.tsx")).Pending }));
const PromptTab = lazy(async () => ({ default: (await import("../prompt/prompt-tab.tsx")).PromptTab }));
const RulesTab = lazy(async () => ({ default: (await import("../rules/rules-tab.tsx")).RulesTab }));
const PlanTab = lazy(async () => ({ default: (await import("./plan-tab.tsx")).PlanTab }));

const loadStepTabs = () => import("./step-tabs.ts");
/** One of the tabs of a step, which are loaded together. */
const stepTab = (name: keyof Awaited<ReturnType<typeof loadStepTabs>>) =>
  lazy(async () => ({ default: (await loadStepTabs())[name] }));

/** The time after which the tabs are loaded that the first picture does not need, ms. */
const LOAD_AFTER_MS = 300;

const PANELS = {
  conversation: Conversation,
  prompt: PromptTab,
  context: stepTab("ContextTab"),
  diff: stepTab("DiffTab"),
  event: stepTab("EventTab"),
  tokens: stepTab("TokensTab"),
  raw: stepTab("RawTab"),
  plan: PlanTab,
  rules: RulesTab,
} satisfies { readonly [tab in Tab]: ComponentType };

/** The tabs of an actor of another system, which sends no messages to a model. */
const OF_ACTORS: ReadonlySet<Tab> = new Set(["event", "context", "diff", "raw"]);
/** The chosen tab, if the run has it. */
const shownTab = ({ tab, row }: Pick<Model, "tab" | "row">): Tab =>
  row?.actor && !OF_ACTORS.has(tab) ? "event" : tab;

/** The details of the displayed step, and the pending decisions of the run below it. */
export function Details() {
  const tab = useModel(shownTab);
  const Panel = PANELS[tab];
  const runId = useModel((all) => all.selection.runId);
  const hasPending = useModel(({ pending }) => pending.items.length > 0 || pending.exceeded !== undefined);
  useEffect(() => {
    const timer = setTimeout(() => void loadStepTabs(), LOAD_AFTER_MS); // a page whose hub has ended can still open them
    return () => clearTimeout(timer);
  }, []);
  return (
    <aside className="right" aria-label={t("Details")}>
      <Splitter side="right" />
      <Tabs tab={tab} />
      <div id="details" className="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} data-panel={tab}>
        <ErrorBoundary what={TAB_NAMES[tab]}>
          <Suspense fallback={<p className="placeholder">{t("Loading …")}</p>}>
            <Panel />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ErrorBoundary what={t("The pending decision")}>
        {hasPending && (
          <Suspense fallback={null}>
            <Pending key={runId} />
          </Suspense>
        )}
      </ErrorBoundary>
    </aside>
  );
}

/** The tabs; those of the plan and of rules only for a run that has them, or may have them. */
function Tabs({ tab }: { readonly tab: Tab }) {
  const hasPlan = useDisplayed(({ displayed: { run, stepNumber } }) =>
    mayHavePlan(run.contextAt(stepNumber), model.row?.slots),
  );
  const hasRules = useDisplayed(({ displayed: { run, stepNumber } }) =>
    mayHaveRules(run.contextAt(stepNumber)),
  );
  const isActor = useModel(({ row }) => row?.actor !== undefined);
  const isShown = (each: Tab): boolean =>
    isActor
      ? OF_ACTORS.has(each)
      : each === tab || ((each !== "plan" || hasPlan) && (each !== "rules" || hasRules));
  return (
    <div className="tabs" role="tablist" aria-label={t("Details of the step")} onKeyDown={moveTab}>
      {TABS.map((each, place) =>
        !isShown(each) ? null : (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            data-tab={each}
            aria-selected={tab === each}
            aria-controls="details"
            tabIndex={tab === each ? 0 : -1}
            title={`${TAB_NAMES[each]} (${place + 1})`}
            onClick={() => model.set({ tab: each })}
          >
            {TAB_NAMES[each]}
          </button>
        ),
      )}
    </div>
  );
}

function moveTab(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (by === undefined) return;
  event.stopPropagation();
  const shown = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-tab]")];
  const place = shown.findIndex(({ dataset }) => dataset["tab"] === shownTab(model));
  const next = shown.at((place + by) % shown.length)!;
  model.set({ tab: next.dataset["tab"] as Tab });
  next.focus();
}
