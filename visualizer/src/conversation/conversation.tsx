import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { conversationItems } from "../logic/conversation-items.ts";
import { MissingStep } from "../parts/missing-step.tsx";
import { useModel } from "../store/use-model.ts";
import { useStep } from "../panels/use-step.ts";
import { endOfTurn } from "../logic/outcome.ts";
import { Icon } from "../parts/icon.tsx";
import { EndCard } from "./end-card.tsx";
import { MessageCard } from "./message-card.tsx";
import { StreamCard } from "./stream-card.tsx";
import { useFollow } from "./use-follow.ts";

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
  const total = list.getTotalSize();
  const { isFollowing, follow, listeners } = useFollow(scroller, items, total);
  const end = useMemo(() => endOfTurn(context), [context]);
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  if (items.length === 0 && !end) return <p className="placeholder">No messages yet.</p>;
  return (
    <div className="conversation-box">
      <div
        ref={scroller}
        className="conversation"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
        {...listeners}
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
        {end && <EndCard end={end} />}
      </div>
      {!isFollowing && (
        <button type="button" className="button newest" onClick={follow}>
          <Icon name="down" /> Newest
        </button>
      )}
    </div>
  );
}
