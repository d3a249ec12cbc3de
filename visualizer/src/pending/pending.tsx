import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { useModel } from "../store/use-model.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { BudgetCard } from "./budget-card.tsx";

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
    return pending.exceeded === undefined ? null : (
      <section className="pending" aria-label="Budget used up">
        <LiveNote />
        <BudgetCard limit={pending.exceeded} />
      </section>
    );
  return (
    <section className="pending" aria-label={`${items.length} pending`}>
      <LiveNote />
      {(items.length > 1 || (done > 0 && open.length > 0)) && (
        <nav className="pages" aria-label="Pending calls">
          <span className="num">
            {at + 1} of {items.length}
          </span>
          {done > 0 && open.length > 0 && <span>· {done} decided</span>}
          <span className="spacer" />
          <Button tone="quiet" icon="back" title="Older" isDisabled={at === 0} onClick={() => show(at - 1)} />
          <Button
            tone="quiet"
            icon="forward"
            title="Newer"
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
  return isLive ? null : <p className="note">applies to live step {last}</p>;
}
