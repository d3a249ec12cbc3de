import { memo } from "react";
import type { Box } from "../../../src/core/diagram/layout.ts";
import type { PlacedEdge } from "../wire/types.ts";
import { arrowHead, roundedPath } from "../../../src/core/diagram/svg-path.ts";

type Props = {
  readonly edge: PlacedEdge;
  /** 0 for an edge of the displayed step, 1 to 3 for edges of the steps before it. */
  readonly rank: number | undefined;
  /** The ids of its edges that were taken in the last steps, one per line. */
  readonly highlighted: string;
  readonly isPicked: boolean;
  /** Changes restart the animation along the line; undefined disables it. */
  readonly animationKey: number | undefined;
  readonly kind: string;
  readonly isOverview: boolean;
  /** The place where its label is drawn; undefined hides it. */
  readonly box: Box | undefined;
};

/** A line between two states, with its label. */
export const EdgeLine = memo(function EdgeLine({
  edge,
  rank,
  highlighted,
  isPicked,
  animationKey,
  kind,
  isOverview,
  box: shown,
}: Props) {
  const { lines, label } = edge;
  const box = shown ?? label;
  return (
    <g
      className="edge"
      data-edge={edge.edges.join(" ")}
      data-taken={rank}
      data-kind={kind}
      data-picked={isPicked || undefined}
    >
      {lines.map((points, index) => {
        const path = roundedPath(points);
        return (
          <g key={index}>
            <path className="hit-area" d={path} />
            <path className="line" d={path} />
            <path className="highlight" d={path} />
            {rank === 0 && animationKey !== undefined && (
              <path key={animationKey} className="animation" d={path} pathLength={100} />
            )}
            <polygon className="head" points={isOverview ? arrowHead(points, 13) : arrowHead(points)} />
          </g>
        );
      })}
      {label && box && (
        <g className="label" data-shown={shown !== undefined || undefined}>
          <rect x={box.x} y={box.y} width={box.width} height={box.height} rx={4} />
          {label.lines.map(({ edge: id, text }, index) => (
            <text
              key={id}
              data-label={id}
              data-highlighted={highlighted.includes(`\n${id}\n`) || undefined}
              x={box.x + box.width / 2}
              y={box.y + (box.height * (index + 0.5)) / label.lines.length}
            >
              {text}
            </text>
          ))}
        </g>
      )}
    </g>
  );
});
