import { memo } from "react";
import type { Tone } from "../logic/chart-index.ts";
import type { PlacedNode } from "../wire/types.ts";
import { titleSize } from "./camera.ts";

const ROW = 15;
const MARKS = { invoke: "⚙", entry: "↳", exit: "↱", stay: "⟲" } as const;

type Props = {
  readonly node: PlacedNode;
  readonly tone: Tone;
  readonly depth: number;
  readonly isActive: boolean;
  /** The innermost active state: where the machine stands. */
  readonly isHere: boolean;
  readonly isPicked: boolean;
  readonly scale: number;
  readonly isAfar: boolean;
  readonly visits: string | undefined;
  /** Transitions that stay in it and were taken in the last steps: "rank id", one a line. */
  readonly stays: string;
};

/** A state: its box, its name and what it does. */
export const NodeBox = memo(function NodeBox(props: Props) {
  const { node, tone, depth, isActive, isHere, isPicked, scale, visits, stays, isAfar } = props;
  const { x, y, width, height, title, rows, hasChildren } = node;
  const size = depth === 0 ? 11 : titleSize(title, width, scale);
  const head = Math.max(17, size + 6);
  return (
    <g
      className={hasChildren ? "node is-compound" : "node"}
      data-state={node.id}
      data-tone={tone}
      data-depth={depth}
      data-active={isActive || undefined}
      data-here={isHere || undefined}
      data-picked={isPicked || undefined}
      transform={`translate(${x} ${y})`}
    >
      {depth > 0 && <rect className="glow" width={width} height={height} rx={8} />}
      <rect className="box" width={width} height={height} rx={8} />
      {depth > 0 && <rect className="ring" width={width} height={height} rx={8} />}
      {isAfar && !hasChildren ? (
        <text className="title is-alone" x={width / 2} y={height / 2} fontSize={size}>
          {title}
        </text>
      ) : (
        <text className="title" x={10} y={head} fontSize={size}>
          {title}
        </text>
      )}
      {depth > 0 && <circle className="pulse" cx={width - 11} cy={12} r={3.5} />}
      {visits !== undefined && isAfar && (
        <text
          className="visits is-afar"
          x={width - 4}
          y={height + size / 4}
          fontSize={size * 0.8}
          textAnchor="end"
        >
          {visits.split(" ")[0]}
        </text>
      )}
      {visits !== undefined && !isAfar && !isHere && (
        <text className="visits" x={width - 8} y={head} textAnchor="end">
          {visits}
        </text>
      )}
      <g className="rows">
        {rows.map(({ kind, text, edges }, index) => (
          <text
            key={`${kind} ${text}`}
            className={`row is-${kind}`}
            {...staying(edges, stays)}
            x={10}
            y={head + ROW * (index + 1)}
          >
            {text.startsWith(MARKS[kind]) ? text : `${MARKS[kind]} ${text}`}
          </text>
        ))}
      </g>
    </g>
  );
});

/** What a row says of the transitions it stands for. */
function staying(edges: readonly string[], stays: string) {
  if (edges.length === 0) return {};
  const taken = stays.split("\n").filter((line) => edges.includes(line.slice(2)));
  const rank = taken.map((line) => line[0]!).toSorted()[0];
  const lit = taken.filter((line) => line[0] === rank).map((line) => line.slice(2));
  return { "data-edge": edges.join(" "), "data-taken": rank, "data-lit": lit.join(" ") || undefined };
}
