import { lazy, Suspense, useState } from "react";
import { Button } from "../parts/button.tsx";
import { useModel } from "../store/use-model.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { BudgetCard } from "./budget-card.tsx";
import { t } from "../words/t.ts";

const RequestCard = lazy(() => import("../breakpoints/request-card.tsx"));

/** The pending decisions of the run, oldest first. */
export function Pending() {
  const pending = useModel((all) => all.pending);
  const [selected, setSelected] = useState({ callId: "", place: 0 });
  const all = pending.items.toSorted((a, b) => a.since - b.since);
  const open = all.filter(({ decided }) => decided === undefined);
  const items = open.length > 0 ? open : all;
  const done = all.length - open.length;
  const index = items.findIndex(({ callId }) => callId === selected.callId);
  const at = index >= 0 ? index : Math.min(selected.place, items.length - 1);
  const item = items[at];
  const show = (place: number): void => setSelected({ callId: items[place]!.callId, place });
  if (!item)
    return pending.exceeded === undefined ? null : pending.exceeded === "breakpoint" ? (
      <section className="pending" aria-label={t("Stopped at a breakpoint")}>
        <LiveNote />
        <Suspense fallback={null}>
          <RequestCard />
        </Suspense>
      </section>
    ) : (
      <section className="pending" aria-label={t("Budget used up")}>
        <LiveNote />
        <BudgetCard limit={pending.exceeded} />
      </section>
    );
  return (
    <section className="pending" aria-label={t`${items.length} pending`}>
      <LiveNote />
      {(items.length > 1 || (done > 0 && open.length > 0)) && (
        <nav className="pages" aria-label={t("Pending calls")}>
          <span className="num">
            {at + 1} {t("of")} {items.length}
          </span>
          {done > 0 && open.length > 0 && (
            <span>
              · {done} {t("decided")}
            </span>
          )}
          <span className="spacer" />
          <Button
            tone="quiet"
            icon="back"
            title={t("Older")}
            isDisabled={at === 0}
            onClick={() => show(at - 1)}
          />
          <Button
            tone="quiet"
            icon="forward"
            title={t("Newer")}
            isDisabled={at === items.length - 1}
            onClick={() => show(at + 1)}
          />
        </nav>
      )}
      <ApprovalCard key={`${item.callId} ${item.argsHash}`} item={item} />
    </section>
  );
}

/** Reminds that a decision applies to the live run while an earlier step is displayed. */
function LiveNote() {
  const last = useModel((all) => all.run.last);
  const isLive = useModel((all) => all.isLive);
  return isLive ? null : (
    <p className="note">
      {t("applies to live step")} {last}
    </p>
  );
}
