import { memo, useState } from "react";
import { keyOf, shortName, topOf, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import { cut } from "../logic/json-rows.ts";
import { eventText, guardText } from "../logic/guards.ts";
import { Icon } from "../parts/icon.tsx";
import { narrow } from "../store/navigate.ts";
import type { ChartEdge, ChartNode } from "../wire/types.ts";

/** More states than a chart that people draw has in one. */
const MOST_SHOWN = 300;
const LONGEST_NAME = 120;

type CardProps = {
  readonly node: ChartNode;
  readonly index: ChartIndex;
  /** Ids within this state, one a line: a string, so that a card that is not touched is not drawn again. */
  readonly active: string;
  readonly taken: string;
  readonly level: number;
  readonly isFirst?: boolean;
  readonly isTwin: boolean;
};

/** Those of the ids that belong to a state or to states within it. */
export function within(ids: string, state: string): string {
  const isWithin = (id: string): boolean => id.startsWith(state) && /^$|^[.|]/.test(id.slice(state.length));
  return ids.split("\n").filter(isWithin).join("\n");
}

/** The states that are drawn: the first ones, and those that are active. */
export function shownOf(states: readonly ChartNode[], active: string): readonly ChartNode[] {
  return states.length <= MOST_SHOWN
    ? states
    : states.filter(({ id }, place) => place < MOST_SHOWN || within(active, id) !== "");
}

/** Says how many states are not drawn. */
export function More({ states }: { readonly states: readonly ChartNode[] }) {
  return states.length > MOST_SHOWN ? (
    <li role="none" className="muted">
      {states.length - MOST_SHOWN} more states; those that are active are shown.
    </li>
  ) : null;
}

export const StateCard = memo(function StateCard({
  node,
  index,
  active,
  taken,
  level,
  isFirst = false,
  isTwin,
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
      {...(!isTwin && { "data-state": node.id })}
    >
      <div
        className="state-item"
        role="treeitem"
        aria-level={level}
        aria-expanded={children.length > 0 ? isOpen : undefined}
        aria-current={isActive ? "step" : undefined}
        aria-selected={isActive}
        tabIndex={isFirst && !isTwin ? 0 : -1}
      >
        <header>
          {children.length > 0 && !isTwin && (
            <button
              type="button"
              className="fold"
              tabIndex={-1}
              aria-label={`${isOpen ? "Fold" : "Unfold"} ${node.key}`}
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
            onClick={() => narrow({ kind: "state", ids: [node.id] })}
          >
            {cut(node.key, LONGEST_NAME)}
          </button>
          {node.invoke
            .filter((name) => name !== "sleepUntil")
            .map((name) => (
              <span key={name} className="chip mono">
                ⚙ {name}
              </span>
            ))}
          {node.description !== undefined && <p>{node.description}</p>}
        </header>
        {edges.length > 0 && (
          <ul className="ways" role="none">
            {edges.map((edge, place) => (
              <Way
                key={edge.id}
                edge={edge}
                before={edges[place - 1]}
                isTaken={taken.split("\n").includes(edge.id)}
                isTwin={isTwin}
              />
            ))}
          </ul>
        )}
      </div>
      {children.length > 0 && isOpen && (
        <ul role="group">
          {shownOf(children, active).map((child) => (
            <StateCard
              key={child.id}
              node={child}
              index={index}
              active={within(active, child.id)}
              taken={within(taken, child.id)}
              level={level + 1}
              isTwin={isTwin}
            />
          ))}
          <More states={children} />
        </ul>
      )}
    </li>
  );
});

type WayProps = {
  readonly edge: ChartEdge;
  readonly before: ChartEdge | undefined;
  readonly isTaken: boolean;
  readonly isTwin: boolean;
};

function Way({ edge, before, isTaken, isTwin }: WayProps) {
  const follows = before?.event === edge.event;
  const word = edge.guard ? (follows ? "else if" : "if") : follows ? "else" : "";
  return (
    <li role="none" data-taken={isTaken ? 0 : undefined} {...(!isTwin && { "data-edge": edge.id })}>
      <button type="button" tabIndex={-1} onClick={() => narrow({ kind: "edge", ids: [edge.id] })}>
        <span className="event mono">{follows ? "" : eventText(edge.event)}</span>
        <span className="guard mono">
          {word !== "" && <i>{word} </i>}
          {edge.guard && guardText(edge)}
        </span>
        <span className="target mono">{targetText(edge)}</span>
      </button>
    </li>
  );
}

/** Targets beside the source by their own name, others with their place. */
function targetText({ source, targets }: ChartEdge): string {
  const home = source.slice(0, source.lastIndexOf("."));
  const names = targets.map((id) => (id.startsWith(home) ? keyOf(id) : shortName(id)));
  return names.length === 0 ? "stays" : `→ ${names.join(", ")}`;
}
