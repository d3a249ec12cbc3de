import { memo, useMemo } from "react";
import { topOf, toneOf, edgesLeaving, type ChartIndex } from "../logic/chart-index.ts";
import type { ChartFilter } from "../store/model.ts";
import type { Box } from "../../../src/core/diagram/layout.ts";
import type { Layout } from "../wire/types.ts";
import { EdgeLine } from "./edge-line.tsx";
import type { Visits } from "../store/run-queries.ts";
import { isFolded } from "./camera.ts";
import { NodeBox } from "./node-box.tsx";
import { regionNames } from "./region-names.ts";
import { duration } from "../logic/format.ts";

type Props = {
  readonly layout: Layout;
  readonly index: ChartIndex;
  readonly active: readonly string[];
  readonly taken: ReadonlyMap<string, number>;
  readonly animationKey: number | undefined;
  readonly filter: ChartFilter | null;
  readonly visits: ReadonlyMap<string, Visits> | undefined;
  /** Rounded, so that small zoom steps do not re-render every name. */
  readonly scale: number;
  /** True if only names are displayed, in larger letters. */
  readonly isOverview: boolean;
  /** The labels and pills that are drawn, by the first edge of their lines, and where; undefined: all, where the layout has them. */
  readonly labels?: ReadonlyMap<string, Box>;
};

/** All states and lines of a laid-out chart. */
export const ChartPicture = memo(function ChartPicture(props: Props) {
  const { layout, index, active, taken, animationKey, filter, visits, scale, isOverview, labels } = props;
  const styles = useMemo(() => stylesOf(index), [index]);
  const regions = layout.nodes.filter(({ id }) => styles.get(id)?.depth === 1);
  const names = isOverview && isFolded(scale) ? regionNames(regions, scale) : [];
  const activeIds = new Set(active);
  const innermost = new Set(
    active.filter((id) => !(index.children.get(id) ?? []).some((child) => activeIds.has(child.id))),
  );
  const picked = new Set(filter?.ids);
  return (
    <>
      {layout.nodes.map((node) => {
        const { tone, depth } = styles.get(node.id) ?? { tone: "slate" as const, depth: 1 };
        const seen = visits?.get(node.id);
        const edges = edgesLeaving(index, node.id);
        const passed = edges && lowestRank(edges, taken);
        return (
          <NodeBox
            key={node.id}
            node={node}
            tone={tone}
            depth={depth}
            isActive={activeIds.has(node.id)}
            isInnermost={innermost.has(node.id)}
            isPicked={picked.has(node.id)}
            isDecision={edges !== undefined}
            passed={passed}
            animationKey={passed === 0 ? animationKey : undefined}
            scale={scale}
            isOverview={isOverview}
            stays={node.rows
              .flatMap(({ edges }) => edges)
              .flatMap((id) => (taken.has(id) ? [`${taken.get(id)} ${id}`] : []))
              .join("\n")}
            visits={
              seen && depth > 0 ? `${seen.isPart ? "≥" : ""}${seen.count}× ${duration(seen.ms)}` : undefined
            }
          />
        );
      })}
      {layout.edges.map((edge) => {
        const rank = lowestRank(edge.edges, taken);
        const lines = edge.edges.filter((id) => rank !== undefined && taken.get(id) === rank);
        return (
          <EdgeLine
            key={edge.edges[0]}
            edge={edge}
            rank={rank}
            highlighted={lines.length === 0 ? "" : `\n${lines.join("\n")}\n`}
            isPicked={edge.edges.some((id) => picked.has(id))}
            animationKey={rank === 0 ? animationKey : undefined}
            isOverview={isOverview}
            box={labels ? labels.get(edge.edges[0]!) : edge.label}
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
      {layout.pills.map((pill) => {
        const { edge, text } = pill;
        const box = labels ? labels.get(edge) : pill;
        const { x, y, width, height } = box ?? pill;
        return (
          <g
            key={edge}
            className="pill"
            data-edge={edge}
            data-taken={taken.get(edge)}
            data-picked={picked.has(edge) || undefined}
            data-shown={box !== undefined || undefined}
          >
            <rect x={x} y={y} width={width} height={height} rx={height / 2} />
            <text x={x + width / 2} y={y + height / 2}>
              {text}
            </text>
          </g>
        );
      })}
      {names.map(({ id, title, x, y, size }) => (
        <text key={id} className="region" data-tone={styles.get(id)!.tone} x={x} y={y} fontSize={size}>
          {title}
        </text>
      ))}
    </>
  );
});

/** The rank of the edge that was taken last; undefined if none was. */
function lowestRank(edges: readonly string[], taken: ReadonlyMap<string, number>): number | undefined {
  const ranks = edges.flatMap((id) => taken.get(id) ?? []);
  return ranks.length === 0 ? undefined : Math.min(...ranks);
}

/** The colour and the depth of every state. */
function stylesOf(index: ChartIndex) {
  const depths = depthsOf(index);
  return new Map(
    index.chart.nodes.map(({ id }) => {
      const top = topOf(index, id);
      return [
        id,
        { tone: toneOf(index, top === undefined ? [] : [index.root, top]), depth: depths.get(id)! },
      ] as const;
    }),
  );
}

/** Returns the number of states around each state; 0 for the root. */
export function depthsOf(index: ChartIndex): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const { id } of index.chart.nodes) {
    let depth = 0;
    for (let at = index.nodes.get(id); at?.parent !== undefined; at = index.nodes.get(at.parent)) depth++;
    depths.set(id, depth);
  }
  return depths;
}
