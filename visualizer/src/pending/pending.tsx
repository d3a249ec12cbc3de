import { useState } from "react";
import { Button } from "../parts/button.tsx";
import { useModel } from "../store/use-model.ts";
import { ApprovalCard } from "./approval-card.tsx";
import { BudgetCard } from "./budget-card.tsx";

/** What the run waits for, oldest first; always there while somebody must answer. */
export function Pending() {
  const pending = useModel((all) => all.pending);
  const [chosen, setChosen] = useState({ callId: "", place: 0 });
  const all = pending.items.toSorted((a, b) => a.since - b.since);
  const open = all.filter(({ decided }) => decided === undefined);
  const items = open.length > 0 ? open : all;
  const done = all.length - open.length;
  const kept = items.findIndex(({ callId }) => callId === chosen.callId);
  const at = kept >= 0 ? kept : Math.min(chosen.place, items.length - 1);
  const item = items[at];
  const show = (place: number): void => setChosen({ callId: items[place]!.callId, place });
  if (!item)
    return pending.exceeded === undefined ? null : (
      <section className="pending" aria-label="The budget is used up">
        <Applies />
        <BudgetCard limit={pending.exceeded} />
      </section>
    );
  return (
    <section className="pending" aria-label={`${items.length} waiting`}>
      <Applies />
      {(items.length > 1 || (done > 0 && open.length > 0)) && (
        <nav className="pages" aria-label="Waiting calls">
          <span className="num">
            {at + 1} of {items.length}
          </span>
          {done > 0 && open.length > 0 && <span>· {done} decided</span>}
          <span className="fill" />
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

/** In the past, what is asked of the run is asked of it as it stands now. */
function Applies() {
  const last = useModel((all) => all.run.last);
  const isLive = useModel((all) => all.isLive);
  return isLive ? null : <p className="note">applies to live step {last}</p>;
}
