import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { conversationItems } from "../logic/conversation-items.ts";
import { MissingStep } from "../parts/missing-step.tsx";
import { useModel } from "../store/use-model.ts";
import { useStep } from "../panels/use-step.ts";
import { MessageCard } from "./message-card.tsx";
import { StreamCard } from "./stream-card.tsx";

/** The distance from the end within which new text is followed, px. */
const FOLLOW_DISTANCE = 80;

/** The messages at the displayed step; live with the text that is being written. */
export function Conversation() {
  const scroller = useRef<HTMLDivElement>(null);
  const { stepNumber, context } = useStep();
  const isLive = useModel((all) => all.isLive);
  const stream = useModel((all) => all.stream);
  const items = useMemo(
    () => conversationItems(context, isLive ? stream.blocks : []),
    [context, isLive, stream],
  );
  const list = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 110,
    getItemKey: (index) => items[index]!.key,
    overscan: 4,
  });
  const isFollowing = useRef(true);
  const total = list.getTotalSize();
  useEffect(() => {
    const element = scroller.current;
    if (element && (isFollowing.current || !isLive)) element.scrollTop = element.scrollHeight;
  }, [items, total, isLive]);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  if (items.length === 0) return <p className="placeholder">No messages yet.</p>;
  return (
    <div
      ref={scroller}
      className="conversation"
      tabIndex={0}
      role="log"
      aria-live="off"
      aria-label="Conversation"
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isFollowing.current = scrollHeight - scrollTop - clientHeight < FOLLOW_DISTANCE;
      }}
    >
      <div style={{ height: total, position: "relative" }}>
        {list.getVirtualItems().map(({ index, start, key }) => {
          const item = items[index]!;
          return (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className="place"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item.kind === "message" ? <MessageCard item={item} /> : <StreamCard blocks={item.blocks} />}
            </div>
          );
        })}
      </div>
    </div>
  );
}
