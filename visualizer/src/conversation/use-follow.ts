import { useEffect, useRef, useState, type RefObject } from "react";
import { useModel } from "../store/use-model.ts";

/** The distance from the end within which a person has scrolled back to the newest text, px. */
const END_DISTANCE = 80;
/** The time in which scrolling is attributed to the last input of a person: momentum goes on after it, ms. */
const INTENT_MS = 1_000;

/**
 * Keeps the end of a list in view until a person scrolls away from it. Only input of a person (wheel, touch, keys, scroll bar) can
 * end following: the list grows by itself, which moves the end too. `goLive` follows again.
 */
export function useFollow(scroller: RefObject<HTMLElement | null>, ...changes: readonly unknown[]) {
  const isLive = useModel((all) => all.isLive);
  const liveRequests = useModel((all) => all.liveRequests);
  const [isFollowing, setFollowing] = useState(true);
  const intent = useRef(-Infinity);
  useEffect(() => setFollowing(true), [isLive, liveRequests]);
  useEffect(() => {
    const element = scroller.current;
    if (element && (isFollowing || !isLive)) element.scrollTop = element.scrollHeight;
  }, [...changes, isFollowing, isLive, liveRequests, scroller]);
  const intend = (): void => void (intent.current = performance.now());
  return {
    isFollowing: isFollowing || !isLive,
    follow: (): void => setFollowing(true),
    listeners: {
      onWheel: intend,
      onTouchMove: intend,
      onPointerDown: intend,
      onKeyDown: intend,
      onScroll: (): void => {
        const element = scroller.current;
        if (!element) return;
        const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < END_DISTANCE;
        if (isAtEnd) setFollowing(true);
        else if (performance.now() - intent.current < INTENT_MS) setFollowing(false);
      },
    },
  };
}
