import { useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import { useSize } from "../parts/use-size.ts";
import { useDisplayed } from "../store/displayed-step.ts";
import { useModel } from "../store/use-model.ts";

/** The distance from the end within which a person has scrolled back to the newest text, px. */
const END_DISTANCE = 80;
/** The time in which scrolling is attributed to the last input of a person: momentum goes on after it, ms. */
const INTENT_MS = 1_000;
/** The least height of an item, px, and how many more are shown than fill the view: fewer while steps change fast. */
const AT_REST = { height: 80, spare: 4 };
const BUSY = { height: 160, spare: 1 };
/** The distance from the beginning within which older items are added, px, and how many are. */
const BEGIN_DISTANCE = 600;
const MORE = 24;

/** The newest items, at least `least`, and those from the message `from` on. */
type Show<Shown> = (least: number, from?: number) => Shown;

/**
 * Shows the end of a list, and keeps it in view until a person scrolls away from it. The items then stay where they are, and older ones are
 * added above them. Only input of a person (wheel, touch, keys, scroll bar) can end following: the list grows by itself, which moves the
 * end too. `goLive` follows again. Another `show` means that the list has changed.
 */
export function useNewest<Shown extends { readonly items: readonly unknown[]; readonly from: number }>(
  scroller: RefObject<HTMLElement | null>,
  stepNumber: number,
  show: Show<Shown>,
) {
  const isLive = useModel((all) => all.isLive);
  const liveRequests = useModel((all) => all.liveRequests);
  const runId = useModel((all) => all.selection.runId);
  const { height } = useSize(scroller);
  const [isFollowing, setFollowing] = useState(true);
  const [kept, setKept] = useState({ from: Infinity, stepNumber: -1 });
  const isKept = isLive ? !isFollowing : kept.stepNumber === stepNumber;
  const from = isKept ? kept.from : Infinity;
  const item = useDisplayed(({ displayed }) => (displayed.isAnimated ? AT_REST : BUSY));
  const least = Math.ceil(height / item.height) + item.spare;
  const shown = useMemo(() => show(least, from), [show, least, from]);
  const intent = useRef(-Infinity);
  const anchor = useRef<{ readonly element: Element; readonly top: number } | null>(null);
  const follow = (): void => {
    intent.current = -Infinity; // to follow is the newer wish
    setFollowing(true);
  };
  useLayoutEffect(follow, [isLive, liveRequests, runId]);
  useLayoutEffect(() => {
    if (!isFollowing && isLive) return;
    const toEnd = (): void => {
      const box = scroller.current;
      if (box) box.scrollTop = box.scrollHeight;
    };
    // A person who has just scrolled may not have left the end yet: their scroll event tells.
    const waitMs = item === AT_REST ? intent.current + INTENT_MS - performance.now() : 0;
    if (waitMs <= 0) return toEnd();
    const timer = setTimeout(toEnd, waitMs);
    return () => clearTimeout(timer);
  }, [show, height, isFollowing, isLive, liveRequests, scroller, item]);
  useLayoutEffect(() => {
    const { element, top = 0 } = anchor.current ?? {};
    anchor.current = null;
    if (element) scroller.current?.scrollBy(0, topOf(element) - top);
  }, [shown.from, scroller]);

  const onScroll = (): void => {
    const box = scroller.current;
    if (!box) return;
    const isAtEnd = box.scrollHeight - box.scrollTop - box.clientHeight < END_DISTANCE;
    const isReading = !isAtEnd && performance.now() - intent.current < INTENT_MS;
    if (isAtEnd) setFollowing(true);
    else if (isReading) setFollowing(false);
    if (isLive && !isReading && (isAtEnd || isFollowing)) return;
    const wantsMore = box.scrollTop < BEGIN_DISTANCE && shown.from > 0;
    const next = wantsMore ? show(shown.items.length + MORE, from).from : shown.from;
    if (wantsMore) {
      const element = box.firstElementChild!;
      anchor.current = { element, top: topOf(element) };
    }
    if (next !== kept.from || stepNumber !== kept.stepNumber) setKept({ from: next, stepNumber });
  };
  const intend = (): void => void (intent.current = performance.now());
  return {
    shown,
    isAtEnd: isFollowing || !isLive,
    follow,
    listeners: {
      onWheel: intend,
      onTouchMove: intend,
      onPointerDown: intend,
      onKeyDown: intend,
      onScroll,
    },
  };
}

const topOf = (element: Element): number => element.getBoundingClientRect().top;
