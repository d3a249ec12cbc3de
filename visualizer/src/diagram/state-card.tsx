import { memo, useState } from "react";
import { keyOf, shortName, topOf, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import { isDecision } from "../../../src/core/diagram/chart-json.ts";
import { cut } from "../logic/json-rows.ts";
import { eventText, guardText } from "../logic/guards.ts";
import { Icon } from "../parts/icon.tsx";
import { filterSteps, filterStepsOf } from "../store/navigate.ts";
import type { ChartEdge, ChartNode } from "../wire/types.ts";
import { said } from "../words/said.ts";
import { t } from "../words/t.ts";

/** The maximum number of child states that are rendered; hand-written charts have fewer. */
const MAX_STATES = 300;
const MAX_NAME_LENGTH = 120;

type CardProps = {
  readonly node: ChartNode;
  readonly index: ChartIndex;
  /** Active ids within this state, one per line: a string, so that an unchanged card is not rendered again. */
  readonly active: string;
  readonly taken: string;
  readonly level: number;
  readonly isFirst?: boolean;
  readonly isHidden: boolean;
};

/** Returns the ids that belong to a state or its descendants. */
export function within(ids: string, state: string): string {
  const isWithin = (id: string): boolean => id.startsWith(state) && /^$|^[.|]/.test(id.slice(state.length));
  return ids.split("\n").filter(isWithin).join("\n");
}

/** Returns the states that are rendered: the first ones, and active ones. */
export function visibleStates(states: readonly ChartNode[], active: string): readonly ChartNode[] {
  return states.length <= MAX_STATES
    ? states
    : states.filter(({ id }, place) => place < MAX_STATES || within(active, id) !== "");
}

/** Reports how many states are not rendered. */
export function HiddenStates({ states }: { readonly states: readonly ChartNode[] }) {
  return states.length > MAX_STATES ? (
    <li role="none" className="muted">
      {states.length - MAX_STATES} {t("more states; active states are always shown.")}
    </li>
  ) : null;
}

/** A state of the outline, with its transitions and children. */
export const StateCard = memo(function StateCard({
  node,
  index,
  active,
  taken,
  level,
  isFirst = false,
  isHidden,
}: CardProps) {
  const [isOpen, setOpen] = useState(true);
  const children = index.children.get(node.id) ?? [];
  const isActive = active.split("\n").includes(node.id);
  const edges = index.leaving.get(node.id) ?? [];
  const top = topOf(index, node.id);
  return (
    <li
      className="card"
      role="none"
      data-tone={toneOf(index, top === undefined ? [] : [index.root, top])}
      data-active={isActive || undefined}
      {...(!isHidden && { "data-state": node.id })}
    >
      <div
        className="state-item"
        role="treeitem"
        aria-level={level}
        aria-expanded={children.length > 0 ? isOpen : undefined}
        aria-current={isActive ? "step" : undefined}
        aria-selected={isActive}
        tabIndex={isFirst && !isHidden ? 0 : -1}
      >
        <header>
          {children.length > 0 && !isHidden && (
            <button
              type="button"
              className="toggle"
              tabIndex={-1}
              aria-label={`${isOpen ? t("Collapse") : t("Expand")} ${node.key}`}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name="right" />
            </button>
          )}
          <button
            type="button"
            className="name mono"
            tabIndex={-1}
            onClick={() => filterStepsOf(index, node.id)}
          >
            {cut(node.key, MAX_NAME_LENGTH)}
          </button>
          {node.invoke
            .filter((name) => name !== "sleepUntil")
            .map((name) => (
              <span key={name} className="badge mono">
                ⚙ {name}
              </span>
            ))}
          {node.description !== undefined && <p>{said(node.description)}</p>}
        </header>
        {edges.length > 0 && (
          <ul className="transitions" role="none">
            {edges.map((edge, place) => (
              <Transition
                key={edge.id}
                edge={edge}
                previous={edges[place - 1]}
                isDecided={isDecision(node)}
                isTaken={taken.split("\n").includes(edge.id)}
                isHidden={isHidden}
              />
            ))}
          </ul>
        )}
      </div>
      {children.length > 0 && isOpen && (
        <ul role="group">
          {visibleStates(children, active).map((child) => (
            <StateCard
              key={child.id}
              node={child}
              index={index}
              active={within(active, child.id)}
              taken={within(taken, child.id)}
              level={level + 1}
              isHidden={isHidden}
            />
          ))}
          <HiddenStates states={children} />
        </ul>
      )}
    </li>
  );
});

type TransitionProps = {
  readonly edge: ChartEdge;
  readonly previous: ChartEdge | undefined;
  /** True for an edge of a decision, which has no event. */
  readonly isDecided: boolean;
  readonly isTaken: boolean;
  readonly isHidden: boolean;
};

function Transition({ edge, previous, isDecided, isTaken, isHidden }: TransitionProps) {
  const follows = previous?.event === edge.event;
  const word = edge.guard ? (follows ? t("else if") : "if") : follows ? "else" : "";
  return (
    <li role="none" data-taken={isTaken ? 0 : undefined} {...(!isHidden && { "data-edge": edge.id })}>
      <button type="button" tabIndex={-1} onClick={() => filterSteps({ kind: "edge", ids: [edge.id] })}>
        <span className="event mono">{follows || isDecided ? "" : eventText(edge.event)}</span>
        <span className="guard mono">
          {word !== "" && <i>{word} </i>}
          {edge.guard && guardText(edge)}
        </span>
        <span className="target mono">{targetText(edge)}</span>
      </button>
    </li>
  );
}

/** Formats the targets: siblings by their key, others by their path. */
function targetText({ source, targets }: ChartEdge): string {
  const home = source.slice(0, source.lastIndexOf("."));
  const names = targets.map((id) => (id.startsWith(home) ? keyOf(id) : shortName(id)));
  return names.length === 0 ? "internal" : `→ ${names.join(", ")}`;
}
