import { memo } from "react";
import { arrowHead, roundedPath } from "../../../src/core/diagram/svg-path.ts";
import { compact } from "../logic/format.ts";
import type { EdgeId } from "./agent-map.ts";
import { hookId, hookName, hookTitle } from "./cards.ts";
import { HOOK, type Pick } from "./map-card.tsx";
import type { PlacedHook, PlacedLine } from "./placed.ts";
import { fitText, widthOf } from "./measure.ts";
import { t } from "../words/t.ts";

const SMALL = '500 11.5px "Inter Variable", system-ui, sans-serif';
const MAX_WIDTH = 9;

/** Returns the width of an edge that was taken this often: its logarithm, so that one stays visible beside a thousand. */
export const lineWidth = (taken: number): number =>
  taken === 0 ? 1.2 : Math.min(MAX_WIDTH, 1.6 + Math.log2(1 + taken) * 1.05);

const NAMES: { readonly [edge in EdgeId]: string } = {
  "input>prompt": t("messages into the prompt"),
  "prompt>model": t("requests to the model"),
  "model>tools": t("calls of tools"),
  "tools>prompt": t("results of tools"),
  "model>agents": t("calls of sub-agents"),
  "agents>prompt": t("results of sub-agents"),
  "tools>people": t("questions to people"),
  "people>tools": t("decisions of people"),
  "plan>prompt": t("changes of the plan"),
  "model>answer": t("answers"),
};

type Props = {
  readonly line: PlacedLine;
  /** True if it was taken in the displayed step. */
  readonly isNew: boolean;
  readonly picked: string;
  readonly pick: Pick;
};

/** An edge of the map, as wide as it was taken, with its count and its hooks. */
export const MapLine = memo(function MapLine({ line, isNew, picked, pick }: Props) {
  const { id, points, taken, label, hooks } = line;
  const place = `edge:${id}`;
  const width = lineWidth(taken);
  const path = roundedPath(shortened(points, taken === 0 ? 4 : 5 + width / 2));
  const text = `${compact(taken)}×`;
  const half = Math.max(24, widthOf(text, SMALL) + 8) / 2;
  return (
    <g
      className="map-line"
      data-line={id}
      data-taken={taken}
      data-new={isNew || undefined}
      data-picked={picked === place || undefined}
    >
      <path className="line" d={path} strokeWidth={width} />
      <polygon className="head" points={arrowHead(points, 6 + width)} />
      {taken > 0 && (
        <>
          <path className="hit-area" d={path} onClick={() => pick(place, NAMES[id])}>
            <title>{`${NAMES[id]}: ${taken}`}</title>
          </path>
          {label && (
            <g
              className="map-count"
              role="button"
              tabIndex={0}
              aria-pressed={picked === place}
              transform={`translate(${label[0]} ${label[1]})`}
              onClick={() => pick(place, NAMES[id])}
              onKeyDown={onEnter(() => pick(place, NAMES[id]))}
            >
              <title>{`${NAMES[id]}: ${taken}`}</title>
              <rect className="hit" x={-half} y={-12} width={half * 2} height={24} rx={6} />
              <text y={4}>{text}</text>
            </g>
          )}
        </>
      )}
      {hooks.map((each) => (
        <HookMark key={hookId(each.hook)} placed={each} picked={picked} pick={pick} />
      ))}
    </g>
  );
});

function onEnter(act: () => void) {
  return (event: { key: string; preventDefault(): void; stopPropagation(): void }): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    act();
  };
}

/** A line that ends behind its arrow head. */
function shortened(points: PlacedLine["points"], by: number): PlacedLine["points"] {
  const [before, end] = points.slice(-2);
  if (!before || !end) return points;
  const length = Math.hypot(end[0] - before[0], end[1] - before[1]) || 1;
  const share = Math.max(0, 1 - by / length);
  return [
    ...points.slice(0, -1),
    [before[0] + (end[0] - before[0]) * share, before[1] + (end[1] - before[1]) * share],
  ];
}

/** Hooks on an edge: a diamond, filled if they changed something, with the name if there is room. */
function HookMark({
  placed,
  picked,
  pick,
}: {
  readonly placed: PlacedHook;
  readonly picked: string;
  readonly pick: Pick;
}) {
  const { hook, at, room } = placed;
  const id = hookId(hook);
  const label = `${hookName(hook)}: ${hookTitle(hook)}`;
  const name = room > 40 ? fitText(hookName(hook), room - 30, SMALL) : "";
  const width = name === "" ? 24 : widthOf(name, SMALL) + 32;
  return (
    <g
      className="map-hook"
      data-changed={hook.changed > 0 || undefined}
      data-row={id}
      data-picked={picked === id || undefined}
      role="button"
      tabIndex={0}
      aria-pressed={picked === id}
      transform={`translate(${at[0]} ${at[1]})`}
      onClick={() => pick(id, hookName(hook))}
      onKeyDown={onEnter(() => pick(id, hookName(hook)))}
    >
      <title>{label}</title>
      <rect
        className={name === "" ? "hit" : "pill"}
        x={-width / 2}
        y={-12}
        width={width}
        height={24}
        rx={12}
      />
      <path d={HOOK} transform={`translate(${name === "" ? -4.5 : 10 - width / 2} 0)`} />
      {name !== "" && (
        <text x={24 - width / 2} y={4}>
          {name}
        </text>
      )}
    </g>
  );
}
