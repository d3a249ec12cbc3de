import { useCallback, useMemo, useRef } from "react";
import { conversationItems } from "../logic/conversation-items.ts";
import { endOfTurn } from "../logic/outcome.ts";
import { useStep } from "../panels/use-step.ts";
import { Icon } from "../parts/icon.tsx";
import { MissingStep } from "../parts/missing-step.tsx";
import { itemsOfPlace } from "../map/place-filter.ts";
import type { PlaceFilter } from "../store/model.ts";
import { filterSteps } from "../store/navigate.ts";
import { useModel } from "../store/use-model.ts";
import { useDisplayed } from "../store/displayed-step.ts";
import type { JsonObject } from "../wire/types.ts";
import { EndCard } from "./end-card.tsx";
import { MessageCard } from "./message-card.tsx";
import { OwnReply } from "./own-reply.tsx";
import { StreamCard } from "./stream-card.tsx";
import { useNewest } from "./use-newest.ts";
import { t } from "../words/t.ts";

/** The messages at the displayed step; live with the text that is being written. */
export function Conversation() {
  const { stepNumber, context } = useStep();
  if (!context) return <MissingStep stepNumber={stepNumber} />;
  return <Messages stepNumber={stepNumber} context={context} />;
}

function Messages({ stepNumber, context }: { readonly stepNumber: number; readonly context: JsonObject }) {
  const scroller = useRef<HTMLDivElement>(null);
  const blocks = useDisplayed((all) => all.blocks);
  const end = useMemo(() => endOfTurn(context), [context]);
  const isLoading = useModel((all) => all.isLoading);
  const filter = useModel(({ stepFilter }) => (stepFilter?.kind === "place" ? stepFilter : null));
  const show = useCallback(
    (least: number, from?: number) =>
      filter ? itemsOfPlace(context, filter, least, from) : conversationItems(context, blocks, least, from),
    [context, blocks, filter],
  );
  const { shown, isAtEnd, follow, listeners } = useNewest(scroller, stepNumber, show);
  return (
    <div className="conversation-box">
      <div
        ref={scroller}
        className="conversation"
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label={t("Conversation")}
        {...listeners}
      >
        {filter && <PlaceNote filter={filter} count={shown.count ?? 0} />}
        {shown.items.map((item) => (
          <div key={item.key} className="place">
            {item.kind === "message" ? <MessageCard item={item} /> : <StreamCard blocks={item.blocks} />}
          </div>
        ))}
        <OwnReply context={context} />
        {end && <EndCard end={end} />}
        {shown.items.length === 0 && !end && !filter && (
          <p className="placeholder">{isLoading ? t("Loading …") : t("No messages yet.")}</p>
        )}
      </div>
      {!isAtEnd && (
        <button type="button" className="button newest" onClick={follow}>
          <Icon name="down" /> {t("Newest")}
        </button>
      )}
    </div>
  );
}

/** Says that only messages of a place of the map are shown, and shows all again. */
function PlaceNote({ filter, count }: { readonly filter: PlaceFilter; readonly count: number }) {
  return (
    <p className="place-note" role="status">
      <span>
        {count === 1 ? t("1 message") : t`${count} messages`} {t("of")} <strong>{filter.label}</strong>
      </span>
      <button type="button" className="link" onClick={() => filterSteps(null)}>
        {t("show all")}
      </button>
    </p>
  );
}
