import { useState } from "react";
import { limitName } from "../logic/limits.ts";
import { Button } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { command, refusalText, seen } from "../store/commands.ts";
import { hindranceTo } from "../store/hindrance.ts";
import { model } from "../store/model.ts";
import { useModel } from "../store/use-model.ts";

/** The turn rests because a limit is used up. */
export function BudgetCard({ limit }: { readonly limit: string }) {
  const name = limitName(limit);
  const [extra, setExtra] = useState("");
  const [leaf, setLeaf] = useState(() => model.row?.leaf);
  const [trouble, setTrouble] = useState<string>();
  const amount = Number(extra);
  const isSent = useModel((all) => all.sent.has("extendBudget"));
  const hindrance = useModel((all) => hindranceTo(all, "extendBudget"));
  const isOff = isSent || hindrance !== undefined || extra === "" || !(amount > 0);
  const extend = async (): Promise<void> => {
    if (model.sent.has("extendBudget")) return; // clicked once more before that was drawn
    setTrouble(undefined);
    const ack = await command({ type: "extendBudget", extra: { [limit]: amount }, ...seen(leaf) });
    if (!ack.ok) setTrouble(refusalText(ack));
    if (ack.error?.code !== "stale") return;
    setExtra("");
    setLeaf(model.row?.leaf);
  };
  return (
    <form
      className="approval"
      id="approval"
      tabIndex={-1}
      data-pending="budget"
      data-kind="budget"
      aria-label={`The budget of ${name} is used up`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isOff) void extend();
      }}
    >
      <header>
        <Icon name="hourglass" />
        <h2>The budget of {name} is used up</h2>
      </header>
      <div className="choices">
        <label className="extend">
          <span>Add</span>
          <input
            className="input num"
            type="number"
            min={0}
            step="any"
            value={extra}
            aria-label={`More ${name}`}
            onChange={({ target }) => setExtra(target.value)}
          />
          <span>{name}</span>
        </label>
        <Button type="submit" tone="good" label="Extend and go on" isDisabled={isOff} />
      </div>
      {trouble !== undefined && (
        <p className="trouble" role="alert">
          {trouble}
        </p>
      )}
      {isSent && <p className="note">Sent. The agent has not confirmed it yet.</p>}
      {hindrance !== undefined && !isSent && (
        <p className="note" data-testid="hindrance">
          It cannot be extended now: {hindrance}.
        </p>
      )}
    </form>
  );
}
