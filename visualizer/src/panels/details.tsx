import { lazy, Suspense, type ComponentType, type KeyboardEvent } from "react";
import { TABS, model, type Tab } from "../store/model.ts";
import { ErrorBoundary } from "../parts/error-boundary.tsx";
import { Splitter } from "../parts/splitter.tsx";
import { useDisplayed } from "../store/displayed-step.ts";
import { useModel } from "../store/use-model.ts";
import { Pending } from "../pending/pending.tsx";
import { ContextTab } from "./context-tab.tsx";
import { Conversation } from "../conversation/conversation.tsx";
import { DiffTab } from "./diff-tab.tsx";
import { PlanTab } from "./plan-tab.tsx";
import { EventTab } from "./event-tab.tsx";
import { RawTab } from "./raw-tab.tsx";
import { mayHavePlan } from "../logic/plan.ts";
import { TokensTab } from "./tokens-tab.tsx";

/** Loaded when it is opened. */
const PromptTab = lazy(async () => ({ default: (await import("../prompt/prompt-tab.tsx")).PromptTab }));

const PANELS = {
  conversation: Conversation,
  prompt: PromptTab,
  context: ContextTab,
  diff: DiffTab,
  event: EventTab,
  tokens: TokensTab,
  raw: RawTab,
  plan: PlanTab,
} satisfies { readonly [tab in Tab]: ComponentType };
const NAMES: { readonly [tab in Tab]: string } = {
  conversation: "Conversation",
  prompt: "Prompt",
  context: "Context",
  diff: "Diff",
  event: "Event",
  tokens: "Tokens",
  raw: "Raw",
  plan: "Plan",
};

/** The details of the displayed step, and the pending decisions of the run below it. */
export function Details() {
  const tab = useModel((all) => all.tab);
  const Panel = PANELS[tab];
  return (
    <aside className="right" aria-label="Details">
      <Splitter side="right" />
      <Tabs tab={tab} />
      <div id="details" className="panel" role="tabpanel" aria-labelledby={`tab-${tab}`} data-panel={tab}>
        <ErrorBoundary what={NAMES[tab]}>
          <Suspense fallback={<p className="placeholder">Loading …</p>}>
            <Panel />
          </Suspense>
        </ErrorBoundary>
      </div>
      <ErrorBoundary what="The pending decision">
        <Pending />
      </ErrorBoundary>
    </aside>
  );
}

/** The tabs; that of the plan only for a run that has one, or may have one. */
function Tabs({ tab }: { readonly tab: Tab }) {
  const hasPlan = useDisplayed(({ displayed: { run, stepNumber } }) =>
    mayHavePlan(run.contextAt(stepNumber), model.row?.slots),
  );
  return (
    <div className="tabs" role="tablist" aria-label="Details of the step" onKeyDown={moveTab}>
      {TABS.map((each, place) =>
        each === "plan" && !hasPlan && tab !== "plan" ? null : (
          <button
            key={each}
            type="button"
            role="tab"
            id={`tab-${each}`}
            data-tab={each}
            aria-selected={tab === each}
            aria-controls="details"
            tabIndex={tab === each ? 0 : -1}
            title={`${NAMES[each]} (${place + 1})`}
            onClick={() => model.set({ tab: each })}
          >
            {NAMES[each]}
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
  const place = shown.findIndex(({ dataset }) => dataset["tab"] === model.tab);
  const next = shown.at((place + by) % shown.length)!;
  model.set({ tab: next.dataset["tab"] as Tab });
  next.focus();
}
