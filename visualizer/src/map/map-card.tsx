import { memo } from "react";
import { iconPath } from "../parts/icon.tsx";
import { HEAD, ITEM } from "./map-layout.ts";
import type { PlacedCard } from "./placed.ts";
import { fitText, widthOf } from "./measure.ts";
import type { Row } from "./rows.ts";
import { t } from "../words/t.ts";

const TITLE = '600 13px "Inter Variable", system-ui, sans-serif';
const TEXT = '400 12px "Inter Variable", system-ui, sans-serif';
const SMALL = '500 11.5px "Inter Variable", system-ui, sans-serif';
const MONO = '500 12px "JetBrains Mono Variable", ui-monospace, monospace';
const PAD = 11;
/** The place of the dot or bullet of a row. */
const DOT = 7;

/** Does what a click on a row or a card does. `id`: of the place; `label`: what it is called. */
export type Pick = (id: string, label: string) => void;

type Props = {
  readonly card: PlacedCard;
  /** The id of the place that filters steps; "" for none. */
  readonly picked: string;
  readonly pick: Pick;
  readonly enter: (card: PlacedCard) => void;
  readonly openRun: (runId: string) => void;
};

/** A card of the map: its title and value, and its rows. */
export const MapCard = memo(function MapCard({ card, picked, pick, enter, openRun }: Props) {
  const { id, x, y, width, height, tone, title, value, label, icon, placed, isActive, isGrey } = card;
  const name = `${title}${value === "" ? "" : ` ${value}`}, ${label}`;
  const room = width - PAD * 2 - 22;
  const beside = [value, card.short ?? ""].find(
    (text) => widthOf(title, TITLE) + widthOf(text, SMALL) + 10 <= room,
  );
  const shownValue = beside ?? card.short ?? "";
  const shown = fitText(title, room - (shownValue === "" ? 0 : widthOf(shownValue, SMALL) + 10), TITLE);
  return (
    <g
      className="map-card"
      data-card={id}
      data-tone={tone}
      data-active={isActive || undefined}
      data-grey={isGrey || undefined}
      transform={`translate(${x} ${y})`}
    >
      <rect className="glow" width={width} height={height} rx={10} />
      <rect className="box" width={width} height={height} rx={10} />
      <g
        className="map-head"
        role="button"
        tabIndex={0}
        aria-pressed={picked === id}
        aria-keyshortcuts="Shift+Enter"
        onClick={() => pick(id, title)}
        onDoubleClick={() => enter(card)}
        onKeyDown={onKeys(
          () => pick(id, title),
          () => enter(card),
        )}
      >
        <title>{name}</title>
        <rect className="hit" x={1} y={1} width={width - 2} height={HEAD - 2} rx={9} />
        <path className="map-icon" d={iconPath(icon)} transform={`translate(${PAD - 1} 9) scale(.9)`} />
        <text className="map-title" x={PAD + 21} y={21}>
          {shown}
        </text>
        {shownValue !== "" && (
          <text className="map-value" x={width - PAD} y={20.5}>
            {shownValue}
          </text>
        )}
      </g>
      {placed.map((row) => (
        <CardRow key={row.key} row={row} width={width} picked={picked} pick={pick} openRun={openRun} />
      ))}
    </g>
  );
});

function onKeys(act: () => void, more: () => void) {
  return (event: {
    key: string;
    shiftKey: boolean;
    preventDefault(): void;
    stopPropagation(): void;
  }): void => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) more();
    else act();
  };
}

type RowProps = Omit<Props, "card" | "enter"> & PlainRow;

function CardRow({ row, width, picked, pick, openRun }: RowProps) {
  if (row.kind === "text") return <TextRow row={row} width={width} />;
  if (row.kind === "gauge") return <GaugeRow row={row} width={width} />;
  const { id = "", y, text, runId } = row;
  const name = nameOf(row);
  const room = runId === undefined ? 0 : ITEM;
  return (
    <>
      <g
        className="map-row"
        data-row={id}
        data-tone={row.tone}
        data-grey={row.isGrey || undefined}
        data-kind={row.kind}
        role="button"
        tabIndex={0}
        aria-pressed={row.kind === "item" ? picked === id : undefined}
        transform={`translate(0 ${y})`}
        onClick={() => pick(id, text)}
        onKeyDown={onKeys(
          () => pick(id, text),
          () => (runId === undefined ? pick(id, text) : openRun(runId)),
        )}
      >
        <title>{name}</title>
        <rect className="hit" x={4} width={width - 8 - room} height={ITEM} rx={6} />
        <Bullet row={row} />
        <RowText row={row} width={width - room} />
      </g>
      {runId !== undefined && (
        <g
          className="map-open"
          role="button"
          tabIndex={0}
          transform={`translate(${width - ITEM - 4} ${y})`}
          onClick={() => openRun(runId)}
          onKeyDown={onKeys(
            () => openRun(runId),
            () => openRun(runId),
          )}
        >
          <title>{t`Open the run of ${text}`}</title>
          <rect className="hit" width={ITEM} height={ITEM} rx={6} />
          <path d={iconPath("right")} transform="translate(5 5) scale(.85)" />
        </g>
      )}
    </>
  );
}

/** Names a row where it is not seen: what it shows first, then all that it stands for. */
const nameOf = ({ text, title, marks = [] }: Row): string =>
  [text, ...(title === undefined ? [] : [title]), ...marks.map((mark) => `${mark.title}: ${mark.text}`)].join(
    ", ",
  );

function Bullet({ row: { kind, key, isRunning } }: { readonly row: Row }) {
  if (kind === "fold")
    return <path className="bullet" d="M0 -3.5 4 0 0 3.5" transform={`translate(${PAD} ${ITEM / 2})`} />;
  if (key.startsWith("hook"))
    return <path className="bullet is-hook" d={HOOK} transform={`translate(${PAD - 1} ${ITEM / 2})`} />;
  return <circle className={isRunning ? "dot is-running" : "dot"} cx={PAD + 3} cy={ITEM / 2} r={3} />;
}

/** A diamond, the sign of hooks. */
export const HOOK = "M4.5 -4.5 9 0 4.5 4.5 0 0z";

/** The width of a card from which the marks of its rows are words. */
const ROOMY = 270;

function RowText({ row, width }: { readonly row: Row; readonly width: number }) {
  const { text, isMono } = row;
  const marks = (row.marks ?? []).map((mark) =>
    width < ROOMY && mark.short !== undefined ? { ...mark, text: mark.short } : mark,
  );
  let x = width - PAD;
  const placed = marks.toReversed().map((mark) => {
    const at = { ...mark, x };
    x -= widthOf(mark.text, SMALL) + 9;
    return at;
  });
  const left = PAD + DOT + 7;
  const shown = placed.filter((mark, index) => index === 0 || mark.x - widthOf(mark.text, SMALL) > left + 48);
  const end = Math.min(...shown.map((mark) => mark.x - widthOf(mark.text, SMALL) - 8), width - PAD);
  return (
    <>
      <text className={isMono ? "map-name is-mono" : "map-name"} x={left} y={16}>
        {fitText(text, end - left, isMono ? MONO : TEXT)}
      </text>
      {shown.map((mark) => (
        <text key={mark.title} className="map-mark" data-tone={mark.tone} x={mark.x} y={16}>
          {mark.text}
        </text>
      ))}
    </>
  );
}

type PlainRow = { readonly row: Row & { readonly y: number }; readonly width: number };

function TextRow({ row: { text, tone, title, y, isMono }, width }: PlainRow) {
  return (
    <text className={isMono ? "map-text is-mono" : "map-text"} data-tone={tone} x={PAD} y={y + 13}>
      {fitText(text, width - PAD * 2, isMono ? MONO : TEXT)}
      {title !== undefined && <title>{title}</title>}
    </text>
  );
}

function GaugeRow({ row: { text, share = 0, tone, y }, width }: PlainRow) {
  const room = text === "" ? 0 : widthOf(text, SMALL) + 9;
  const whole = width - PAD * 2 - room;
  return (
    <g className="map-gauge" data-tone={tone} transform={`translate(${PAD} ${y})`}>
      <rect className="track" y={7} width={whole} height={6} rx={3} />
      <rect className="fill" y={7} width={Math.max(share > 0 ? 6 : 0, whole * share)} height={6} rx={3} />
      {text !== "" && (
        <text className="map-value" x={width - PAD * 2} y={14}>
          {text}
        </text>
      )}
    </g>
  );
}
