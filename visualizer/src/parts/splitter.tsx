import type { KeyboardEvent, PointerEvent } from "react";
import { prefer, usePreferences } from "../store/preferences.ts";
import { t } from "../words/t.ts";

type Side = "left" | "right" | "bottom";
const LIMITS = { left: [180, 480], right: [300, 900], bottom: [120, 800] } as const;
const NAMES = {
  left: t("Width of the run list"),
  right: t("Width of the details"),
  bottom: t("Height of the steps"),
} as const;

/** A separator of two panels that can be dragged or moved with the arrow keys. */
export function Splitter({ side }: { readonly side: Side }) {
  const size = usePreferences()[side];
  const [min, max] = LIMITS[side];
  const isRow = side === "bottom";
  const sign = side === "left" ? 1 : -1;
  const resize = (to: number): void => prefer({ [side]: Math.round(Math.min(max, Math.max(min, to))) });
  const drag = (down: PointerEvent<HTMLDivElement>): void => {
    const bar = down.currentTarget;
    bar.setPointerCapture(down.pointerId);
    const start = isRow ? down.clientY : down.clientX;
    const move = (event: globalThis.PointerEvent): void =>
      resize(size + sign * ((isRow ? event.clientY : event.clientX) - start));
    bar.addEventListener("pointermove", move);
    bar.addEventListener("lostpointercapture", () => bar.removeEventListener("pointermove", move), {
      once: true,
    });
  };
  const press = (event: KeyboardEvent): void => {
    const steps = { ArrowLeft: -16, ArrowRight: 16, ArrowUp: -16, ArrowDown: 16 } as const;
    const step = steps[event.key as keyof typeof steps];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    resize(size + sign * step);
  };
  return (
    <div
      className={`splitter is-${side}`}
      role="separator"
      tabIndex={0}
      aria-label={NAMES[side]}
      aria-orientation={isRow ? "horizontal" : "vertical"}
      aria-valuenow={size}
      aria-valuemin={min}
      aria-valuemax={max}
      onPointerDown={drag}
      onKeyDown={press}
    />
  );
}
