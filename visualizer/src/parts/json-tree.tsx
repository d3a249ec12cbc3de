import { Value } from "./json-value.tsx";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, useCallback, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { jsonRows, preview, type JsonRow } from "../logic/json-rows.ts";
import type { Json } from "../wire/types.ts";

const ROW = 24;

type Props = {
  readonly value: Json;
  readonly label: string;
  /** The ids of the lines that are marked as changed. */
  readonly changed?: ReadonlySet<string>;
  /** Members down to this depth are expanded initially. */
  readonly openDepth?: number;
};

/** Displays a JSON value as a tree of lines; only visible lines are rendered. */
export function JsonTree({ value, label, changed, openDepth = 1 }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState(0);
  const isOpen = useCallback(
    (id: string, depth: number) => (depth < openDepth || (changed?.has(id) ?? false)) !== toggled.has(id),
    [openDepth, toggled, changed],
  );
  const rows = useMemo(() => jsonRows(value, isOpen), [value, isOpen]);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const toggle = useCallback((id: string) => {
    setToggled((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  }, []);
  const press = (event: KeyboardEvent): void => {
    const row = rows[focused];
    const to = { ArrowDown: focused + 1, ArrowUp: focused - 1, Home: 0, End: rows.length - 1 }[event.key];
    const isFold =
      row?.isOpen !== undefined &&
      (event.key === "Enter" || event.key === (row.isOpen ? "ArrowLeft" : "ArrowRight"));
    if (to === undefined && !isFold) return;
    event.preventDefault();
    event.stopPropagation();
    if (isFold) toggle(row.id);
    if (to === undefined) return;
    const next = Math.min(rows.length - 1, Math.max(0, to));
    setFocused(next);
    list.scrollToIndex(next);
  };
  return (
    <div
      ref={scroller}
      className="json"
      role="tree"
      aria-label={label}
      tabIndex={0}
      aria-activedescendant={rows[focused] && `json-${focused}`}
      onKeyDown={press}
    >
      <div style={{ height: list.getTotalSize(), position: "relative", minWidth: "100%" }}>
        {list.getVirtualItems().map(({ index, start }) => (
          <Line
            key={rows[index]!.id}
            row={rows[index]!}
            place={index}
            top={start}
            isChanged={changed?.has(rows[index]!.id) ?? false}
            isFocused={index === focused}
            toggle={toggle}
          />
        ))}
      </div>
    </div>
  );
}

type JsonLineProps = {
  readonly row: JsonRow;
  readonly place: number;
  readonly top: number;
  readonly isChanged: boolean;
  readonly isFocused: boolean;
  readonly toggle: (id: string) => void;
};

const Line = memo(function Line({ row, place, top, isChanged, isFocused, toggle }: JsonLineProps) {
  const { id, depth, label, value, isOpen, size } = row;
  const canOpen = isOpen !== undefined;
  return (
    <div
      id={`json-${place}`}
      className="json-line"
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={isOpen}
      data-path={id}
      data-changed={isChanged || undefined}
      data-focused={isFocused || undefined}
      style={{ transform: `translateY(${top}px)`, paddingLeft: 10 + depth * 14 }}
      onClick={canOpen ? () => toggle(id) : undefined}
    >
      <span className="twist">{canOpen ? (isOpen ? "▾" : "▸") : ""}</span>
      <span className="key">{label}</span>
      {canOpen ? (
        <span className="sum">{isOpen ? (Array.isArray(value) ? `[${size}]` : "") : preview(value)}</span>
      ) : (
        <Value value={value} />
      )}
    </div>
  );
});
