import { memo } from "react";
import { decisionOutline } from "../../../src/core/diagram/svg-path.ts";
import type { Tone } from "../logic/chart-index.ts";
import type { PlacedNode } from "../wire/types.ts";
import { LEAST_PX, textWidth } from "./camera.ts";
import { INDENT, ROW, titleOf } from "./picture-texts.ts";

const MARKS = { invoke: "⚙", entry: "↳", exit: "↱", stay: "⟲" } as const;

type Props = {
  readonly node: PlacedNode;
  readonly tone: Tone;
  readonly depth: number;
  readonly isActive: boolean;
  /** True for the innermost active state. */
  readonly isInnermost: boolean;
  readonly isPicked: boolean;
  /** True for a decision, which is drawn with cut corners. */
  readonly isDecision: boolean;
  /** For a decision that was passed: 0 if in the displayed step, 1 to 3 if in the steps before it. */
  readonly passed: number | undefined;
  /** Changes restart the flash of a decision that is passed; undefined disables it. */
  readonly animationKey: number | undefined;
  readonly scale: number;
  readonly isOverview: boolean;
  readonly visits: string | undefined;
  /** The transitions without a target that were taken in the last steps, as "rank id", one per line. */
  readonly stays: string;
};

/** A state or a decision: its box, its name and its rows. */
export const NodeBox = memo(function NodeBox(props: Props) {
  const { node, tone, depth, isActive, isInnermost, isPicked, scale, visits, stays, isOverview } = props;
  const { isDecision, passed, animationKey } = props;
  const shape = { node, isDecision, isOverview };
  const { x, y, width, title, rows, hasChildren } = node;
  const named = titleOf(node, depth, scale, isOverview);
  const size = named?.size ?? LEAST_PX;
  const hasRoom = !named || named.isAlone || named.x + textWidth(title, size) < width - 16;
  const head = Math.max(17, size + 6);
  const visitsSize = isOverview ? LEAST_PX / scale : LEAST_PX;
  const isAlone = isOverview && !hasChildren;
  const room = width - title.length * size * CHARACTER - (isInnermost ? 44 : 30);
  const visitsText =
    isAlone || named === undefined ? undefined : fitting(visits, room / (visitsSize * CHARACTER));
  return (
    <g
      className={hasChildren ? "node is-compound" : "node"}
      data-state={node.id}
      data-tone={tone}
      data-depth={depth}
      data-active={isActive || undefined}
      data-innermost={isInnermost || undefined}
      data-picked={isPicked || undefined}
      data-passed={passed}
      transform={`translate(${x} ${y})`}
    >
      {depth > 0 && <Shape className="glow" {...shape} />}
      <Shape className="box" {...shape} />
      {depth > 0 && <Shape className="ring" {...shape} />}
      {passed === 0 && animationKey !== undefined && (
        <Shape key={animationKey} className="flash" {...shape} />
      )}
      {named && (
        <text
          className={named.isAlone ? "title is-alone" : "title"}
          x={named.x}
          y={named.y}
          fontSize={named.size}
        >
          {title}
        </text>
      )}
      {depth > 0 && hasRoom && <circle className="pulse" cx={width - 11} cy={12} r={3.5} />}
      {visitsText !== undefined && (
        <text
          className={isOverview ? "visits is-overview" : "visits"}
          x={width - (isInnermost ? 20 : 8)}
          y={head}
          fontSize={visitsSize}
          textAnchor="end"
        >
          {visitsText}
        </text>
      )}
      <g className="rows">
        {rows.map(({ kind, text, edges }, index) => (
          <text
            key={`${kind} ${text}`}
            className={`row is-${kind}`}
            {...transitionProps(edges, stays)}
            x={INDENT}
            y={head + ROW * (index + 1)}
          >
            {text.startsWith(MARKS[kind]) ? text : `${MARKS[kind]} ${text}`}
          </text>
        ))}
      </g>
    </g>
  );
});

/** The width of a character, in font sizes. */
const CHARACTER = 0.62;

/** The visits and their time, or only the visits, or nothing: what fits beside the name. */
function fitting(visits: string | undefined, characters: number): string | undefined {
  const count = visits?.split(" ")[0];
  return [visits, count].find((text) => text !== undefined && text.length <= characters);
}

type ShapeProps = {
  readonly className: string;
  readonly node: PlacedNode;
  readonly isDecision: boolean;
  readonly isOverview: boolean;
};

/** The outline of a state, or of a decision. */
function Shape({ className, node: { width, height }, isDecision, isOverview }: ShapeProps) {
  return isDecision ? (
    <polygon className={className} points={decisionOutline({ x: 0, y: 0, width, height }, isOverview)} />
  ) : (
    <rect className={className} width={width} height={height} rx={8} />
  );
}

/** The attributes of a row for the transitions that it represents. */
function transitionProps(edges: readonly string[], stays: string) {
  if (edges.length === 0) return {};
  const taken = stays.split("\n").filter((line) => edges.includes(line.slice(2)));
  const rank = taken.map((line) => line[0]!).toSorted()[0];
  const highlighted = taken.filter((line) => line[0] === rank).map((line) => line.slice(2));
  return {
    "data-edge": edges.join(" "),
    "data-taken": rank,
    "data-highlighted": highlighted.join(" ") || undefined,
  };
}
