import { memo, useMemo } from "react";
import { topOf, toneOf, type ChartIndex } from "../logic/chart-index.ts";
import type { StepFilter } from "../store/model.ts";
import type { Layout } from "../wire/types.ts";
import { EdgeLine } from "./edge-line.tsx";
import type { Visits } from "./lit.ts";
import { NodeBox } from "./node-box.tsx";
import { duration } from "../logic/format.ts";

type Props = {
  readonly layout: Layout;
  readonly index: ChartIndex;
  readonly active: readonly string[];
  readonly taken: ReadonlyMap<string, number>;
  readonly flight: number | undefined;
  readonly filter: StepFilter | null;
  readonly visits: ReadonlyMap<string, Visits> | undefined;
  /** Rounded, so that a turn of the wheel does not draw every name anew. */
  readonly scale: number;
  /** Only names are shown, in larger letters. */
  readonly isAfar: boolean;
};

/** All states and lines of a placed chart. */
export const ChartPicture = memo(function ChartPicture(props: Props) {
  const { layout, index, active, taken, flight, filter, visits, scale, isAfar } = props;
  const looks = useMemo(() => looksOf(index), [index]);
  const lit = new Set(active);
  const here = new Set(
    active.filter((id) => !(index.children.get(id) ?? []).some((child) => lit.has(child.id))),
  );
  const picked = new Set(filter?.ids);
  return (
    <>
      {layout.nodes.map((node) => {
        const { tone, depth } = looks.get(node.id) ?? { tone: "slate" as const, depth: 1 };
        const seen = visits?.get(node.id);
        return (
          <NodeBox
            key={node.id}
            node={node}
            tone={tone}
            depth={depth}
            isActive={lit.has(node.id)}
            isHere={here.has(node.id)}
            isPicked={picked.has(node.id)}
            scale={scale}
            isAfar={isAfar}
            stays={node.rows
              .flatMap(({ edges }) => edges)
              .flatMap((id) => (taken.has(id) ? [`${taken.get(id)} ${id}`] : []))
              .join("\n")}
            visits={seen && depth > 0 ? `${seen.count}× ${duration(seen.ms)}` : undefined}
          />
        );
      })}
      {layout.edges.map((edge) => {
        const ranks = edge.edges.flatMap((id) => taken.get(id) ?? []);
        const rank = ranks.length === 0 ? undefined : Math.min(...ranks);
        const lines = edge.edges.filter((id) => rank !== undefined && taken.get(id) === rank);
        return (
          <EdgeLine
            key={edge.edges[0]}
            edge={edge}
            rank={rank}
            lit={lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}
            isPicked={edge.edges.some((id) => picked.has(id))}
            flight={rank === 0 ? flight : undefined}
            isAfar={isAfar}
            kind={index.edges.get(edge.edges[0]!)?.kind ?? "event"}
          />
        );
      })}
      {layout.initials.map(({ id, from, to }) => (
        <g key={id} className="initial">
          <circle cx={from[0]} cy={from[1]} r={3} />
          <path d={`M${from[0]} ${from[1]}L${to[0]} ${to[1]}`} />
        </g>
      ))}
      {layout.pills.map(({ edge, text, x, y, width, height }) => (
        <g
          key={edge}
          className="pill"
          data-edge={edge}
          data-taken={taken.get(edge)}
          data-picked={picked.has(edge) || undefined}
        >
          <rect x={x} y={y} width={width} height={height} rx={height / 2} />
          <text x={x + width / 2} y={y + height / 2}>
            {text}
          </text>
        </g>
      ))}
    </>
  );
});

/** Colour and depth of every state. */
function looksOf(index: ChartIndex) {
  return new Map(
    index.chart.nodes.map(({ id }) => {
      const top = topOf(index, id);
      let depth = 0;
      for (let at = index.nodes.get(id); at?.parent !== undefined; at = index.nodes.get(at.parent)) depth++;
      return [id, { tone: toneOf(index, top === undefined ? [] : [index.root, top]), depth }] as const;
    }),
  );
}
