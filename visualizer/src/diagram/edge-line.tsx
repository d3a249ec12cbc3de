import { memo } from "react";
import type { PlacedEdge } from "../wire/types.ts";
import { arrowHead, roundedPath } from "../../../src/diagram/svg-path.ts";

type Props = {
  readonly edge: PlacedEdge;
  /** 0 for the edge of the step, 1 to 3 for those before it. */
  readonly rank: number | undefined;
  /** Those of its chart edges that were taken in the last steps. */
  readonly lit: string;
  readonly isPicked: boolean;
  /** Restarts the flight along the line; undefined: no flight. */
  readonly flight: number | undefined;
  readonly kind: string;
  readonly isAfar: boolean;
};

/** A line between two states, with its label. */
export const EdgeLine = memo(function EdgeLine({ edge, rank, lit, isPicked, flight, kind, isAfar }: Props) {
  const { lines, label } = edge;
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
            <path className="reach" d={path} />
            <path className="line" d={path} />
            <path className="lit" d={path} />
            {rank === 0 && flight !== undefined && (
              <path key={flight} className="flight" d={path} pathLength={100} />
            )}
            <polygon className="head" points={isAfar ? arrowHead(points, 13) : arrowHead(points)} />
          </g>
        );
      })}
      {label && (
        <g className="label">
          <rect x={label.x} y={label.y} width={label.width} height={label.height} rx={4} />
          {label.lines.map(({ edge: id, text }, index) => (
            <text
              key={id}
              data-label={id}
              data-lit={lit.includes(`\n${id}\n`) || undefined}
              x={label.x + label.width / 2}
              y={label.y + (label.height * (index + 0.5)) / label.lines.length}
            >
              {text}
            </text>
          ))}
        </g>
      )}
    </g>
  );
});
